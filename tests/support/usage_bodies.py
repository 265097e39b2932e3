"""Real usage objects of many providers, read under the format that each was sent in, beside what they say themselves.

    usage_bodies.py FILE      FILE has an object a line, gzipped: origin, model, body, and extracted, what another project read in it

Which format a body is in is who sent it, and that is chosen here as a user would choose it.  Of each body the totals are computed
again, from the body alone and by the provider's published meaning of its words; then what is accepted must have meters that add up to
them, with the same parts, and to what `extracted` says where it speaks.  Nothing may be refused.  What is set aside is told, by reason.
"""
import collections
import gzip
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from format_data import try_format  # noqa: E402

# Of `extracted`: who read it, for each format.
READERS = {
    "anthropic.messages": ("anthropic", "default"), "openai.responses": ("openai", "responses"),
    "gemini.generate_content": ("google", "default"), "bedrock.converse": ("aws", "default"), "openai.chat": ("openai", "chat"),
    "mistral.chat": ("mistral", "default"), "groq.chat": ("groq", "default"), "deepseek.chat": ("deepseek", "chat"),
    "openrouter.chat": ("openrouter", "chat"), "cohere.chat": ("cohere", "default"), "cohere.embeddings": ("cohere", "embeddings"),
    "openai.embeddings": ("openai", "embeddings"),
}
# Cohere's embeddings are chat's answers without an output: a format of the user's own.
OWN = {"cohere.embeddings": {"tollbook_format": 1, "format": "cohere.embeddings", "extends": "cohere.chat", "output": None,
                             "constants": {"operation": "embeddings"}}}
# Sums of meters by the names of `extracted`: what the meter's name begins with and contains.
COUNTERS = {
    "input_tokens": ("input_", ""), "output_tokens": ("output_", ""), "cache_read_tokens": ("input_", "_cache_read_"),
    "cache_write_tokens": ("input_", "_cache_write_"), "cache_write_5m_tokens": ("input_", "_cache_write_5m_"),
    "output_reasoning_tokens": ("output_reasoning_", ""), "input_audio_tokens": ("input_audio_", ""),
    "input_image_tokens": ("input_image_", ""), "input_video_tokens": ("input_video_", ""),
    "input_tool_tokens": ("input_tool_use_", ""), "output_text_tokens": ("output_text_", ""),
    "output_image_tokens": ("output_image_", ""), "cache_text_read_tokens": ("input_text_cache_read_", ""),
    "cache_image_read_tokens": ("input_image_cache_read_", ""), "cache_audio_read_tokens": ("input_audio_cache_read_", ""),
    "cache_video_read_tokens": ("input_video_cache_read_", ""),
}


def format_of(row):
    """Who sent it: by its shape where only one vendor has that, else by the test that recorded it."""
    body, usage, origin = row["body"], row["body"].get("usage") or {}, row["origin"]
    if "usageMetadata" in body:
        return "gemini.generate_content"
    if "inputTokens" in usage:
        return "bedrock.converse"
    if "billed_units" in usage or "meta" in body:
        return "cohere.chat" if "usage" in body else "cohere.embeddings"
    if "input_tokens" in usage:
        return "openai.responses" if "total_tokens" in usage else "anthropic.messages"
    if "completion_tokens" not in usage:
        return "openai.embeddings"
    if "openrouter" in origin:
        return "openrouter.chat"
    if "queue_time" in usage or "groq" in origin:
        return "groq.chat"
    if "mistral" in origin:
        return "mistral.chat"
    return "deepseek.chat" if "prompt_cache_hit_tokens" in usage else "openai.chat"


def number(holder, *names):
    """A count at the end of a path; 0 where it is null or not there."""
    for name in names:
        holder = (holder or {}).get(name)
    return holder or 0


def of_passes(usage, read):
    """One reading for each pass of an answer, added up; the top counts leave some passes out."""
    passes = usage.get("iterations") or [usage]
    readings = [read(one) for one in passes]
    return {name: sum(reading[name] for reading in readings) for name in readings[0]}


def anthropic(usage):
    reading = of_passes(usage, lambda one: {
        "input_tokens": number(one, "input_tokens") + number(one, "cache_read_input_tokens")
        + number(one, "cache_creation_input_tokens"),
        "output_tokens": number(one, "output_tokens"),
        "cache_read_tokens": number(one, "cache_read_input_tokens"),
        "cache_write_tokens": number(one, "cache_creation_input_tokens"),
        "cache_write_5m_tokens": number(one, "cache_creation", "ephemeral_5m_input_tokens")})
    if not usage.get("iterations"):
        reading["output_reasoning_tokens"] = number(usage, "output_tokens_details", "thinking_tokens")
    return reading


def openai(usage, prompt, completion):
    return {"input_tokens": number(usage, prompt), "output_tokens": number(usage, completion),
            "cache_read_tokens": number(usage, prompt + "_details", "cached_tokens"),
            "cache_write_tokens": number(usage, prompt + "_details", "cache_write_tokens"),
            "input_audio_tokens": number(usage, prompt + "_details", "audio_tokens"),
            "input_video_tokens": number(usage, prompt + "_details", "video_tokens"),
            "output_reasoning_tokens": number(usage, completion + "_details", "reasoning_tokens"),
            "output_image_tokens": number(usage, completion + "_details", "image_tokens")}


def gemini(usage):
    """Thoughts and the prompt of tools are beside the two counts, and so is the sum of all where the API tells it."""
    reading = {"input_tokens": number(usage, "promptTokenCount") + number(usage, "toolUsePromptTokenCount"),
               "output_tokens": number(usage, "candidatesTokenCount") + number(usage, "thoughtsTokenCount"),
               "cache_read_tokens": number(usage, "cachedContentTokenCount"),
               "output_reasoning_tokens": number(usage, "thoughtsTokenCount"),
               "input_tool_tokens": number(usage, "toolUsePromptTokenCount")}
    total = usage.get("totalTokenCount")
    if total is not None and total != reading["input_tokens"] + reading["output_tokens"]:
        raise ValueError("the total is another one")
    return reading


def bedrock(usage):
    read, written = number(usage, "cacheReadInputTokens"), number(usage, "cacheWriteInputTokens")
    reading = {"input_tokens": number(usage, "inputTokens") + read + written, "output_tokens": number(usage, "outputTokens"),
               "cache_read_tokens": read, "cache_write_tokens": written}
    if usage["totalTokens"] != reading["input_tokens"] + reading["output_tokens"]:
        raise ValueError("the total is another one")
    return reading


def reading_of(name, body):
    """The body's own totals, by the meaning that its provider published; ValueError where it has none."""
    if name == "gemini.generate_content":
        return gemini(body["usageMetadata"])
    if name.startswith("cohere."):
        billed = (body.get("usage") or body["meta"])["billed_units"]
        return {"input_tokens": number(billed, "input_tokens"), "output_tokens": number(billed, "output_tokens")}
    usage = body["usage"]
    if name == "anthropic.messages":
        return anthropic(usage)
    if name == "bedrock.converse":
        return bedrock(usage)
    reading = openai(usage, *(("input_tokens", "output_tokens") if name == "openai.responses" else ("prompt_tokens", "completion_tokens")))
    if usage["total_tokens"] != reading["input_tokens"] + reading["output_tokens"]:
        raise ValueError("the total is another one")
    return reading


def extracted_by(name, row):
    for entry in row["extracted"]:
        if any((one["provider_id"], one["api_flavor"]) == READERS[name] for one in entry["extractors"]):
            return entry["usage"]
    return {}


def counter(events, name):
    begins, contains = COUNTERS[name]
    return sum(value for event in events for meter, value in event["data"]["quantities"].items()
               if meter.endswith("_tokens") and meter.startswith(begins) and contains in meter)


def wrong_with(name, row, answer):
    """What an accepted body's events say wrongly, or None."""
    try:
        reading = reading_of(name, row["body"])
    except ValueError as problem:
        return "accepted, but %s" % problem
    events = answer["events"]
    for counted, value in reading.items():
        if counter(events, counted) != value:
            return "%s: meters say %d, the body %d" % (counted, counter(events, counted), value)
    if len(events) > 1:  # `extracted` knows the top counts alone
        events = [event for event in events if event["data"]["operation"] != "compaction" and event["data"]["model"] == row["model"]]
    passes = row["body"].get("usage", {}).get("iterations")
    for counted, value in extracted_by(name, row).items():
        if passes and counted == "output_reasoning_tokens":  # passes do not tell it: it is unknown, and in their output
            continue
        if counted in COUNTERS and counter(events, counted) != value:
            return "%s: meters say %d, extracted %d" % (counted, counter(events, counted), value)
    return None


def captured(index, row):
    return json.dumps({"specversion": "1.0", "type": "example.capture", "source": "/bodies", "id": "body-%d" % index,
                       "subject": "acct_1", "time": "2026-11-03T10:00:00Z", "model": row["model"] or "not-told", "data": row["body"]})


def answers_of(name, rows):
    records = "".join(captured(index, row) + "\n" for index, row in enumerate(rows)).encode()
    if name not in OWN:
        return try_format(name, "-", (), records)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(OWN[name], file)
        file.flush()
        return try_format(file.name, "-", (), records)


def main():
    groups, wrong, aside, agreed, total = collections.defaultdict(list), [], collections.Counter(), 0, 0
    with gzip.open(sys.argv[1], "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            groups[format_of(row)].append(row)
    print("%-26s %7s %9s %9s %12s %9s %6s" % ("format", "bodies", "accepted", "flagged", "quarantined", "refused", "wrong"))
    for name in sorted(groups):
        rows, counts, bad = groups[name], collections.Counter(), 0
        answers = answers_of(name, rows)
        if len(answers) != len(rows):
            wrong.append("%s: %d bodies, %d answers" % (name, len(rows), len(answers)))
        for row, answer in zip(rows, answers):
            counts[answer["outcome"]] += 1
            counts["flagged"] += bool(answer["flags"])
            if answer["outcome"] == "accepted":
                problem = wrong_with(name, row, answer)
                agreed += problem is None and bool(extracted_by(name, row))
            elif answer["outcome"] == "quarantined":
                problem = None
                aside[(name, answer["code"], answer["field"])] += 1
            else:
                problem = "%s %s %s" % (answer["outcome"], answer["code"], answer["field"])
            if problem is not None:
                bad += 1
                wrong.append("%s: %s: %s: %s" % (name, row["origin"], problem, json.dumps(row["body"])))
        total += len(rows)
        print("%-26s %7d %9d %9d %12d %9d %6d" % (
            name, len(rows), counts["accepted"], counts["flagged"], counts["quarantined"], counts["rejected"], bad))
    for (name, code, field), count in sorted(aside.items()):
        print("set aside: %d of %s: %s, %s" % (count, name, code, field))
    print("\n".join(wrong))
    print("%d bodies, %d set aside, %d also as another project read them, %d wrong" % (total, sum(aside.values()), agreed, len(wrong)))
    return 1 if wrong or not groups else 0


if __name__ == "__main__":
    sys.exit(main())
