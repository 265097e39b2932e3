#!/usr/bin/env python3
"""Random price books of the whole language and random usage, from a seed.

    generate.py --seed N --case N --out FOLDER      one case's files, for a look

The same seed and case always give the same files.  What the language leaves open is kept out, see `Books.rule_price`.
"""
import argparse
import json
import os
import random
from datetime import datetime, timedelta, timezone

ZONES = ["UTC", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns", "America/Havana", "America/New_York",
         "Europe/Berlin"]
# Days around which clocks change somewhere, months and years end, and some others.
DAYS = ["2020-11-01", "2025-10-05", "2025-10-26", "2025-11-01", "2025-11-02", "2025-12-31", "2026-01-01", "2026-02-28", "2026-03-01", "2026-03-08",
        "2026-03-29", "2026-03-31", "2026-04-01", "2026-04-05", "2026-06-30", "2026-07-01", "2026-07-15", "2026-09-30", "2026-10-04"]
EFFECTIVE = "2020-01-01T00:00:00Z"

INPUT = ["input_text_uncached_tokens", "input_text_cache_read_tokens", "input_text_cache_write_5m_tokens", "input_text_cache_write_tokens",
         "input_audio_uncached_tokens", "input_tool_use_tokens"]
OUTPUT = ["output_text_tokens", "output_reasoning_tokens"]
COUNTS = ["requests", "images", "web_search_calls"]
MEASURED = ["gpu_seconds", "adapter_hours"]
METERS = INPUT + OUTPUT + COUNTS + MEASURED

MODELS = ["alpha", "alpha-mini", "beta", "gamma"]
TIERS = ["default", "batch", "priority"]
FEATURES = ["tiers", "packages", "fees", "brackets", "split", "times", "service_tiers", "inherit", "extends", "override", "aliases",
            "counters", "fallback", "fields", "tags", "units", "reversals", "long_decimals", "negative", "contract", "terms", "short"]


class Books:
    """Writes the books of a case."""

    def __init__(self, rng, on):
        self.rng, self.on = rng, on
        self.numbers = {1, 2, 1000}  # quantities at which something changes
        self.resets = {scope: rng.choice(["month", "quarter", "year", "never"]) for scope in ("rule", "model", "contract", "group")}
        # Fees of volume steps belong to no usage in particular, so they come without factors.
        self.factors = bool(on & {"times", "service_tiers", "inherit", "extends"})

    def some(self, share):
        return self.rng.random() < share

    def price(self):
        rng = self.rng
        if self.some(0.05):
            return "0"
        if "long_decimals" in self.on and self.some(0.3):
            return "%d.%018d" % (rng.randint(0, 3), rng.randint(1, 10 ** 18 - 1))
        return rng.choice(["%d" % rng.randint(1, 90), "%d.%02d" % (rng.randint(0, 9), rng.randint(1, 99)), "0.%06d" % rng.randint(1, 999999)])

    def factor(self):
        return self.rng.choice(["0.5", "2", "0.9", "1.2", "0.333333333333333333", "1", "0", "0.000001"] if self.some(0.3) else ["0.5", "1.2", "0.75"])

    def per(self, meter):
        if meter in MEASURED:
            words = ["minute", "hour"] if meter == "gpu_seconds" else ["hour", "day"]
            return self.rng.choice([1, 1000] + (words if "units" in self.on else []))
        return self.rng.choice([1, 1000, 1000000])

    def border(self):
        number = self.rng.choice([self.rng.randint(1, 20), self.rng.randint(20, 300), self.rng.randint(300, 5000), 100000])
        self.numbers.update([number, number + 1] + ([number - 1] if number > 1 else []))
        return number

    def borders(self, count):
        found = set()
        while len(found) < count:
            found.add(self.border())
        return sorted(found)

    def steps(self, in_packages, fees, shared=False):
        """`shared`: the steps count over what other prices count, too.  Which usage begins a package of a volume price is open, so
        there it has none, and none where factors make the packages of one price differ."""
        mode = self.rng.choice(["graduated"] if in_packages and (shared or self.factors) else ["graduated", "volume"])
        fees = fees and (mode == "graduated" or not self.factors)
        steps = []
        for up_to in self.borders(self.rng.randint(0, 3)) + [None]:
            step = {} if up_to is None else {"up_to": up_to}
            if in_packages:
                step["package"] = self.rng.choice([1, 7, 10, 100])
            step["price"] = self.price()
            if fees and self.some(0.5):
                step["fee"] = self.price()
            steps.append(step)
        return {"tiers": mode, "steps": steps}

    def plain(self, fees, shared):
        """A price without brackets and times; with `per` where it is not in packages."""
        if "packages" in self.on and self.some(0.3):
            if self.some(0.5):
                return {"package": self.rng.choice([1, 3, 10, 1000]), "price": self.price()}, True
            return (self.steps(True, fees, shared), True) if "tiers" in self.on else ({"package": 10, "price": self.price()}, True)
        if "tiers" in self.on and self.some(0.5):
            return self.steps(False, fees), False
        return {"price": self.price()}, False

    def flat(self):
        return {"price": self.price()}

    def rule_price(self, meter):
        rng, on, per = self.rng, self.on, self.per(meter)
        counter = None
        if "counters" in on and self.some(0.6):
            scope = rng.choice(["rule", "contract"] + ([] if "aliases" in on else ["model"]) + ([] if meter in MEASURED else ["group"]))
            counter = {"scope": scope, "reset": self.resets[scope]}
            if scope == "group":
                counter["group"] = "g"
        # A fee is for the step of one price over one counter: where prices share it, whose fee it is would be open.
        shared = counter is not None and counter["scope"] != "rule"
        fees = "fees" in on and not shared
        kind = rng.choice(["plain"] + (["brackets"] * 2 if "brackets" in on else []) + (["split"] * 2 if "split" in on else []))
        if kind == "plain" or (kind == "split" and meter not in INPUT + OUTPUT):
            node, in_packages = self.plain(fees, shared)
            if not in_packages:
                node["per"] = per
        else:
            node = {"per": per, "brackets": []}
            for least in [None] + self.borders(rng.randint(1, 3)):
                bracket = {} if least is None else {rng.choice(["over", "from"]): least}
                if "tiers" in on and self.some(0.2):
                    bracket.update(self.steps(False, False))
                else:
                    bracket.update(self.flat())
                node["brackets"].append(bracket)
            if kind == "split":
                node["split"] = "tokens"
            elif self.some(0.6):
                node["subject"] = rng.choice(["input", "uncached_input", "output"])
            # `over 5` and `from 6` are the same border, and the first token of a row is in the first bracket.
            leasts = [b.get("from", b.get("over", -1) + 1) for b in node["brackets"]]
            if sorted(set(leasts)) != leasts or (kind == "split" and leasts[1] == 1):
                return self.rule_price(meter)
        if "times" in on and self.some(0.5):
            node["times"] = []
            for window in rng.sample(["w1", "w2", "w3"], rng.randint(1, 2)):
                entry = {"window": window}
                if self.some(0.6):
                    entry["factor"] = self.factor()
                else:
                    # With a fee it would be open whether usage at the other price enters its step.
                    own, in_packages = (self.flat(), False) if "fee" in json.dumps(node) else self.plain(False, True)
                    entry.update(own)
                    if not in_packages and ("per" not in node or self.some(0.5)):
                        entry["per"] = self.per(meter)
                node["times"].append(entry)
        if counter is not None and self.counts(node):
            node["counter"] = counter
        return node

    @staticmethod
    def counts(node):
        return "tiers" in node or "package" in node or any(Books.counts(part) for part in node.get("brackets", []) + node.get("times", []))

    def prices(self, meters):
        return {meter: self.rule_price(meter) for meter in meters}

    def window(self):
        rng, spans = self.rng, []
        for _ in range(rng.randint(1, 2)):
            span = {}
            if self.some(0.5):
                span["days"] = rng.sample(["mon", "tue", "wed", "thu", "fri", "sat", "sun"], rng.randint(1, 5))
            if self.some(0.8):
                clock = ["%02d:%02d" % (rng.randint(0, 23), rng.choice([0, 15, 30, 45])) for _ in range(2)]
                if clock[0] != clock[1]:
                    span["from"], span["to"] = clock
            if self.some(0.3):
                day = datetime.fromisoformat(rng.choice(DAYS)).date()
                span["dates"] = [day.isoformat(), (day + timedelta(days=rng.randint(0, 40))).isoformat()]
            spans.append(span)
        return {"zone": rng.choice(ZONES), "spans": spans}

    def some_meters(self, share):
        chosen = [meter for meter in METERS if self.some(share)]
        return chosen or [self.rng.choice(METERS)]

    def fallbacks(self):
        pairs = {"output_reasoning_tokens": "output_text_tokens", "input_text_cache_read_tokens": "input_text_uncached_tokens",
                 "input_text_cache_write_5m_tokens": "input_text_cache_write_tokens", "input_text_cache_write_tokens": "input_text_uncached_tokens",
                 "input_audio_uncached_tokens": "input_text_uncached_tokens", "input_tool_use_tokens": "input_text_uncached_tokens"}
        return {a: b for a, b in pairs.items() if self.some(0.5)}

    def extra_match(self, rule):
        if "fields" in self.on and self.some(0.4):
            name, values = self.rng.choice([("region", ["eu", "us", "*"]), ("provider", ["self", "*"]), ("operation", ["chat", "embeddings"]),
                                            ("speed", ["fast", "*"]), ("deployment", ["d1", "*"]), ("project", ["p1", "*"]), ("api_key", ["k1", "*"]),
                                            ("engine", ["vllm", "*"]), ("base_model", ["alpha", "*"])])
            rule[name] = self.rng.choice(values)
        if "tags" in self.on and self.some(0.4):
            rule["tags"] = self.rng.choice([{"env": "prod"}, {"env": "test"}, {"team": "x", "env": "prod"}])

    def rule(self, number, share):
        rng, rule = self.rng, {}
        if "inherit" in self.on and self.some(0.3):
            rule["adapter_kind"] = rng.choice(["lora", "fine_tune", "*"])
            rule["inherit"] = {"from": "base_model", "factor": self.factor()}
        elif self.some(0.75):
            rule["model"] = rng.choice(MODELS)
        else:
            rule["model_pattern"] = rng.choice(["alpha.*", "[bg].*", ".*a", ".*"])
        if self.some(0.4):
            rule["service_tier"] = rng.choice(TIERS + ["*"])
        self.extra_match(rule)
        if "inherit" in self.on and "inherit" not in rule and self.some(0.25):
            origin = [{"model": rng.choice(MODELS)}] + ([{"rule": "r%d" % rng.randint(1, number)}] if number > 1 else [])
            rule["inherit"] = {"from": rng.choice(origin)}
            if self.some(0.7):
                rule["inherit"]["factor"] = self.factor()
        if "inherit" in rule and self.some(0.4):
            rule["inherit"]["plus"] = {meter: {"price": ("-" if "negative" in self.on and self.some(0.5) else "") + self.price(), "per": rng.choice([1, 1000, 1000000])} for meter in rng.sample(METERS[:9], 2)}
        if "inherit" not in rule or self.some(0.5):
            rule["prices"] = self.prices(self.some_meters(share))
        if "fallback" in self.on and self.some(0.3):
            rule["fallback"] = self.fallbacks()
        if self.some(0.3) or "inherit" in self.on:
            rule["name"] = "r%d" % number
        return rule

    def book(self, name, share, base=None):
        rng = self.rng
        book = {"tollbook_prices": 1, "book": name, "currency": "USD", "effective": EFFECTIVE}
        if base is not None:
            book["extends"] = {"book": base, "version": 1}
            if self.some(0.6):
                book["extends"]["factor"] = self.factor()
        if "times" in self.on:
            book["windows"] = {key: self.window() for key in ("w1", "w2", "w3")}
        if "service_tiers" in self.on:
            book["service_tiers"] = {"batch": {"inherit": rng.choice(["default", "priority"]), "factor": self.factor()}}
            if self.some(0.5):
                book["service_tiers"]["priority"] = {"inherit": "default"}
        if "aliases" in self.on:
            book["aliases"] = {"delta": rng.choice(MODELS), "delta-*": rng.choice(MODELS), "delta-x*": rng.choice(MODELS)}
        if self.some(0.7):
            book["free"] = rng.sample(METERS, rng.randint(1, 4))
        if "fallback" in self.on and self.some(0.7):
            book["fallback"] = {a: b for a, b in self.fallbacks().items() if a not in book.get("free", [])}
        book["rules"] = []
        asked = set()
        for number in range(1, rng.randint(2, 6)):
            rule = self.rule(number, share)
            match = json.dumps({key: value for key, value in rule.items() if key not in ("prices", "fallback", "inherit", "name")}, sort_keys=True)
            if match not in asked:
                asked.add(match)
                book["rules"].append(rule)
        if share > 0.4 and self.some(0.7) and not any(rule.get("model_pattern") == ".*" for rule in book["rules"]):
            book["rules"].append({"model_pattern": ".*", "service_tier": "*", "prices": self.prices(self.some_meters(0.7))})
        names = [rule.get("name") for rule in book["rules"]]
        for rule in book["rules"]:
            origin = rule.get("inherit", {}).get("from")
            if isinstance(origin, dict) and "rule" in origin and origin["rule"] not in names:
                rule["inherit"]["from"] = {"model": "alpha"}
        return book


class Usage:
    """Writes the events of a case."""

    def __init__(self, rng, on, numbers, zone):
        self.rng, self.on, self.numbers, self.zone = rng, on, sorted(numbers), zone
        self.days = rng.sample(DAYS, rng.randint(1, 4))

    def some(self, share):
        return self.rng.random() < share

    def time(self):
        rng = self.rng
        at = datetime.fromisoformat(rng.choice(self.days)).replace(tzinfo=timezone.utc)
        at += timedelta(minutes=15 * rng.randint(-60, 140)) if self.some(0.6) else timedelta(hours=rng.choice([-6, 0, 4, 5, 6]))
        at += timedelta(microseconds=rng.choice([0, 0, -1, 1, rng.randint(0, 899999999)]))
        return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def count(self):
        return self.rng.choice(self.numbers) if self.some(0.6) else self.rng.choice([0, 1, self.rng.randint(1, 50), self.rng.randint(1, 6000)])

    def quantities(self):
        rng, found = self.rng, {}
        if self.some(0.8):
            # A size of the whole input, so that it meets borders, divided over some meters.
            meters, left = rng.sample(INPUT, rng.randint(1, 3)), self.count()
            for meter in meters[:-1]:
                found[meter] = rng.randint(0, left)
                left -= found[meter]
            found[meters[-1]] = left
        for meter in OUTPUT + COUNTS:
            if self.some(0.5):
                found[meter] = self.count()
        for meter in MEASURED:
            if self.some(0.2):
                found[meter] = rng.choice(["%d" % self.count(), "%d.%09d" % (self.count(), rng.randint(0, 999999999)), "0.000000001"])
        if not found:
            found["requests"] = 1
        return found

    def data(self):
        rng = self.rng
        data = {"operation": rng.choice(["chat", "chat", "embeddings"]), "model": rng.choice(MODELS + (["delta", "delta-1", "delta-x1"] if "aliases" in self.on else []))}
        if self.some(0.4):
            data["service_tier"] = rng.choice(TIERS + ["flex"])
        if "inherit" in self.on and self.some(0.5):
            data["model"], data["base_model"] = rng.choice(["tuned-1", "tuned-2", "alpha"]), rng.choice(MODELS)
            data["adapter"] = {"kind": rng.choice(["lora", "fine_tune"]), "id": rng.choice(["a1", "a2"])}
        if "fields" in self.on:
            for name, values in (("region", ["eu", "us"]), ("provider", ["self", "other"]), ("speed", ["fast", "standard"]), ("deployment", ["d1", "d2"])):
                if self.some(0.4):
                    data[name] = rng.choice(values)
            if self.some(0.4):
                data["engine"] = {"name": rng.choice(["vllm", "sglang"]), "version": "1"}
        attribution = {}
        if "fields" in self.on and self.some(0.4):
            attribution["project_id"] = rng.choice(["p1", "p2"])
            attribution["api_key_id"] = rng.choice(["k1", "k2"])
        if "tags" in self.on and self.some(0.6):
            attribution["tags"] = rng.choice([{"env": "prod"}, {"team": "x", "env": "prod"}, {"env": "test", "who": "me"}, {"team": "x"}])
        if attribution:
            data["attribution"] = attribution
        if self.some(0.2):
            data["status"] = rng.choice(["incomplete", "aborted"])
        data["quantities"] = self.quantities()
        if self.some(0.15):
            whole = sum(count for meter, count in data["quantities"].items() if meter in INPUT)
            data["context_input_tokens"] = whole + (self.count() if whole == 0 or self.some(0.5) else 0)
        return data

    def short(self, number, tenant):
        rng = self.rng
        whole, output = self.count(), self.count()
        record = {"idempotency_key": "s%d" % number, "tenant": tenant, "time": self.time(), "model": rng.choice(MODELS), "input_tokens": whole,
                  "output_tokens": output}
        cached = rng.randint(0, whole)
        if self.some(0.5):
            record["cached_input_tokens"] = cached
        if self.some(0.3):
            record["cache_write_tokens"] = rng.randint(0, whole - cached)
        if self.some(0.3):
            record["reasoning_tokens"] = rng.randint(0, output)
        if self.some(0.3):
            record["service_tier"] = rng.choice(TIERS)
        return record

    def events(self, count, tenants):
        rng, found, open_ids = self.rng, [], {tenant: [] for tenant in tenants}
        for number in range(count):
            tenant = rng.choice(tenants)
            if "short" in self.on and self.some(0.3):
                found.append(self.short(number, tenant))
                continue
            event = {"specversion": "1.0", "type": "tollbook.usage.v1", "source": "/random", "id": "e%d" % number, "time": self.time(), "subject": tenant}
            mine = open_ids[tenant]
            if "reversals" in self.on and mine and self.some(0.25):
                original = mine.pop(rng.randrange(len(mine)))
                reference = {"source": "/random", "id": original}
                if self.some(0.5):
                    event["data"] = {"kind": "void", "ref": reference}
                else:
                    event["data"] = dict({"kind": "correction", "ref": reference}, **self.data())
                    mine.append(event["id"])
            else:
                event["data"] = self.data()
                mine.append(event["id"])
            found.append(event)
        return found


class Contracts:
    """Writes what a contract says beside prices."""

    def __init__(self, rng, numbers):
        self.rng, self.numbers = rng, sorted(number for number in numbers if number > 0)

    def some(self, share):
        return self.rng.random() < share

    def amount(self):
        rng = self.rng
        return rng.choice(["%d" % rng.randint(1, 2000), "%d.%02d" % (rng.randint(0, 99), rng.randint(1, 99)), "0.%018d" % rng.randint(1, 10 ** 18 - 1)])

    def scope(self, scope, meters):
        if self.some(0.3):
            scope["model_pattern"] = self.rng.choice(["alpha.*", ".*a", "[bg].*"])
        if self.some(0.3):
            scope["service_tier"] = self.rng.choice(["default", "batch", "*"])
        if meters or self.some(0.4):
            scope["meters"] = self.rng.sample(INPUT + OUTPUT + COUNTS, self.rng.randint(1, 5))
        return scope

    def fee(self, name):
        rng = self.rng
        if self.some(0.4):
            return {"name": name, "quantity": rng.choice(["2", "0.5"]), "price": self.amount(), "per": rng.choice(["hour", "day"])}
        return {"name": name, "amount": self.amount(), "prorate": self.some(0.5)}

    def discount(self, name):
        if self.some(0.4):
            return self.scope({"name": name, "amount": self.amount()}, False)
        node = {"name": name, "percent": self.rng.choice(["10", "33.3333333333333333", "100", "0.5"])}
        if self.some(0.4):
            node["cap"] = self.amount()
        return self.scope(node, False)

    def bound(self):
        node = {"amount": self.amount(), "prorate": self.some(0.5)}
        if self.some(0.4):
            node["ramp"] = [{"from": day, "amount": self.amount()} for day in sorted(self.rng.sample(["2025-11-01", "2026-01-01", "2026-03-01", "2026-07-01"], 2))]
        return node

    def terms(self):
        rng, terms = self.rng, {}
        if self.some(0.3):
            terms["trial"] = {"until": rng.choice(DAYS + ["2026-03-08T10:15:00Z"])}
        if self.some(0.4):
            terms["fees"] = [self.fee("fee %d" % i) for i in range(rng.randint(1, 2))]
        if self.some(0.6):
            terms["allowances"] = [self.scope({"name": "included %d" % i, "quantity": rng.choice(self.numbers), "prorate": self.some(0.3)}, True)
                                   for i in range(rng.randint(1, 3))]
        if self.some(0.6):
            terms["discounts"] = [self.discount("discount %d" % i) for i in range(rng.randint(1, 3))]
        if self.some(0.5):
            reset = rng.choice(["month", "quarter", "year", "never"])
            terms["commitment"] = {"amount": self.amount(), "reset": reset, "overage": rng.choice(["1.2", "0.9", "2"])}
            if reset != "never":
                terms["commitment"]["true_up"] = self.some(0.6)
        if self.some(0.4):
            terms["minimum"] = self.bound()
        if self.some(0.4):
            terms["maximum"] = self.bound()
        return terms or {"fees": [self.fee("fee")]}


class Case:
    """books: the first is the one asked for, or the contract's; `override` names one more, or None."""

    def __init__(self, seed, number, without=frozenset(), only=None):
        rng = random.Random("%s/%s" % (seed, number))
        on = {feature for feature in FEATURES if rng.random() < 0.4}
        on = (on if only is None else set(only)) - set(without)
        if number % 10 == 0 and only is None:
            on = set(FEATURES) - set(without)
        self.features = on
        writer = Books(rng, on)
        self.books = []
        base = None
        if "extends" in on:
            base = "base"
            self.books.append(writer.book("base", 0.6))
        self.books.insert(0, writer.book("prices", 0.3 if base else 0.6, base))
        self.has_contract = bool(on & {"contract", "override", "terms"})
        self.zone = rng.choice(ZONES) if self.has_contract else "UTC"
        self.override = None
        if "override" in on:
            self.override = "override"
            self.books.append(writer.book("override", 0.2))
        self.contracts = Contracts(rng, writer.numbers)
        self.terms = self.contracts.terms() if "terms" in on else None
        self.usage = Usage(rng, on, writer.numbers, self.zone)
        self.events = self.usage.events(rng.randint(1, 40), ["acme"])

    def contract(self, tenants=("acme",)):
        rows = []
        for tenant in tenants:
            row = {"tenant": tenant, "name": tenant, "currency": "USD", "zone": self.zone, "book": "prices", "effective": EFFECTIVE}
            if self.override is not None:
                row["override"] = self.override
            if self.terms is not None:
                row["terms"] = self.terms
            rows.append(row)
        return {"tenants": rows}

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        for book in self.books:
            with open(os.path.join(folder, book["book"] + ".json"), "w", encoding="utf-8") as out:
                json.dump(book, out, indent=1)
        if self.has_contract:
            with open(os.path.join(folder, "tenants.json"), "w", encoding="utf-8") as out:
                json.dump(self.contract(), out, indent=1)
        with open(os.path.join(folder, "events.ndjson"), "w", encoding="utf-8") as out:
            out.writelines(json.dumps(event) + "\n" for event in self.events)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="1")
    parser.add_argument("--case", type=int, default=1)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    Case(options.seed, options.case).write(options.out)


if __name__ == "__main__":
    main()
