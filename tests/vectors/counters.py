"""Counters as programs report them, of which one is a part of another, into meters, of which none is."""

OTHERS = ("audio", "image", "video")
CALLS = {"web_searches": "web_search_calls", "storage_searches": "file_search_calls", "code_executions": "code_execution_calls",
         "input_characters": "characters", "input_document_pages": "pages", "requests": "requests"}


class Contradiction(Exception):
    """Parts are more than their whole."""


class NoMeter(Exception):
    """A counter that no meter of ours is."""


class Counters:
    def __init__(self, text):
        self.counts = {}
        self.asked = set()
        for counter in filter(None, text.split(";")):
            name, count = counter.split("=")
            if not count.isdigit():
                raise NoMeter("%s=%s, which is not whole" % (name, count))
            self.counts[name] = int(count)

    def get(self, name):
        self.asked.add(name)
        return self.counts.get(name, 0)

    def rest(self, name, *parts):
        """What of a counter is in none of its parts; 0 where the counter is not there."""
        taken = sum(self.get(part) for part in parts)
        if name not in self.counts and taken == 0:
            return 0
        left = self.get(name) - taken
        if left < 0:
            raise Contradiction("%s is %d, its parts are %d" % (name, self.get(name), taken))
        return left


def kind_of_write(modality, lifetime):
    return "cache_%swrite_%stokens" % (modality and modality + "_", lifetime and lifetime + "_")


def cache_meters(counters):
    reads = ["cache_%s_read_tokens" % other for other in OTHERS]
    meters = {"input_text_cache_read_tokens": counters.rest("cache_read_tokens", *reads)}
    for other in OTHERS:
        meters["input_%s_cache_read_tokens" % other] = counters.get("cache_%s_read_tokens" % other)
        meters["input_%s_cache_write_tokens" % other] = counters.rest(
            kind_of_write(other, ""), kind_of_write(other, "5m"), kind_of_write(other, "1h"))
        for lifetime in ("5m", "1h"):
            meters["input_%s_cache_write_%s_tokens" % (other, lifetime)] = counters.get(kind_of_write(other, lifetime))
    for lifetime in ("5m", "1h"):
        meters["input_text_cache_write_%s_tokens" % lifetime] = counters.rest(
            kind_of_write("", lifetime), *(kind_of_write(other, lifetime) for other in OTHERS))
    meters["input_text_cache_write_tokens"] = counters.rest(
        "cache_write_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens",
        *("cache_%s_write_tokens" % other for other in OTHERS))
    # Parts of both a lifetime and a kind were taken off twice.
    meters["input_text_cache_write_tokens"] += sum(
        counters.get(kind_of_write(other, lifetime)) for other in OTHERS for lifetime in ("5m", "1h"))
    return meters


def meters_of(text):
    """"input_tokens=10;cache_read_tokens=4" into counts by meter.  What is of no stated kind is text."""
    counters = Counters(text)
    meters = cache_meters(counters)
    for other in OTHERS:
        cached = sum(count for meter, count in meters.items() if meter.startswith("input_%s_" % other))
        uncached = counters.get("input_%s_tokens" % other) - cached - counters.get("input_%s_tool_tokens" % other)
        if uncached < 0:
            raise Contradiction("more %s in the cache than in the input" % other)
        meters["input_%s_uncached_tokens" % other] = uncached
        meters["output_%s_tokens" % other] = counters.get("output_%s_tokens" % other)
    meters["input_tool_use_tokens"] = counters.get("input_tool_tokens")
    known = sum(count for meter, count in meters.items() if meter.startswith("input_"))
    meters["input_text_uncached_tokens"] = counters.get("input_tokens") - known
    meters["output_reasoning_tokens"] = counters.get("output_reasoning_tokens")
    meters["output_citation_tokens"] = counters.get("output_citation_tokens")
    known = sum(count for meter, count in meters.items() if meter.startswith("output_"))
    meters["output_text_tokens"] = counters.get("output_tokens") - known
    for meter in ("input_text_uncached_tokens", "output_text_tokens"):
        if meters[meter] < 0:
            raise Contradiction("%d %s are left" % (meters[meter], meter))
    for counter, meter in CALLS.items():
        meters[meter] = counters.get(counter)
    # What says again what kind the rest is of.
    for name in ("input_text_tokens", "output_text_tokens", "cache_text_read_tokens", "cache_text_write_tokens",
                 "input_text_tool_tokens"):
        counters.get(name)
    for name in sorted(set(counters.counts) - counters.asked):
        raise NoMeter(name)
    return {meter: count for meter, count in meters.items() if count != 0}
