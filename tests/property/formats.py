"""Random truthful usage, written as each vendor writes it, must become the meters that it was made of, and not one token more or less.

usage: formats.py SEED RECORDS  ("ok - SENTENCE" or "not ok - SENTENCE" a line; exit code 1 where one is not as it should be)

The writers below know nothing of ingest/formats: each says in Python what its vendor's fields hold.  Of each record a twin is made whose
total, or one of the counts it is the sum of, is one more: those have to be set aside.
"""
import copy
import json

import random
import subprocess
import sys

AS_OF = "2026-11-05T00:00:00Z"
ENVELOPE = {"specversion": "1.0", "type": "example.capture", "source": "/capture/1", "subject": "acct_1", "time": "2026-11-03T10:00:00Z",
            "model": "owl-9"}
IN, OUT = "input_%s_tokens", "output_%s_tokens"


def some(r, most=200000):
    """A count: often at an edge."""
    return r.choice([0, 0, 1, 2, r.randint(0, 40), r.randint(0, most)])


def apart(r):
    """What is beside a total: not 1, for a total that is wrong by 1 would be right if it were inside."""
    return r.choice([0, 2, r.randint(2, 200000)])


def sizes(r, names, prefix=IN):
    return {prefix % name: some(r) for name in names}


def without_zeros(r, details):
    """Vendors leave a detail out, write it as null or as 0 where there is none of it."""
    kept = {}
    for name, value in details.items():
        way = r.randint(0, 2) if value == 0 else 0
        if way < 2:
            kept[name] = value if way == 0 else None
    return kept


def usage(total_in, total_out, names, **more):
    total = {names[2]: total_in + total_out} if len(names) == 3 else {}
    return {names[0]: total_in, names[1]: total_out, **total, **more}


CHAT = ("prompt_tokens", "completion_tokens", "total_tokens")
RESPONSES = ("input_tokens", "output_tokens", "total_tokens")
SUMMED = [("usage", name) for name in CHAT]
TEXT, READ = IN % "text_uncached", IN % "text_cache_read"
WRITES = {life: IN % ("text_cache_write" + life) for life in ("", "_5m", "_30m", "_1h")}
AUDIO, IMAGE, TOOLS = IN % "audio_uncached", IN % "image_uncached", "input_tool_use_tokens"
ANSWER, THOUGHTS, SPOKEN, DRAWN = (OUT % name for name in ("text", "reasoning", "audio", "image"))
REJECTED = OUT % "rejected_prediction"


def split(truth):
    return (sum(value for name, value in truth.items() if name.startswith("input_")),
            sum(value for name, value in truth.items() if name.startswith("output_")))


def chat(r, truth, prompt=(), completion=(), **more):
    """The layout of OpenAI's Chat Completions: details are inside; pairs of a detail's name and the meter."""
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1793699990, "model": "owl-9",
            "choices": [{"index": 0, "message": {"role": "assistant"}, "finish_reason": "stop"}],
            "usage": usage(*split(truth), CHAT,
                           prompt_tokens_details=without_zeros(r, {name: truth[meter] for name, meter in prompt}),
                           completion_tokens_details=without_zeros(r, {name: truth[meter] for name, meter in completion}), **more)}


def openai_chat(r):
    truth = sizes(r, ("text_uncached", "text_cache_read", "text_cache_write_30m"))
    truth.update(sizes(r, ("text", "reasoning", "audio", "rejected_prediction"), OUT))
    return truth, chat(r, truth, (("cached_tokens", READ), ("cache_write_tokens", WRITES["_30m"])),
                       (("reasoning_tokens", THOUGHTS), ("audio_tokens", SPOKEN), ("rejected_prediction_tokens", REJECTED))), SUMMED


def openai_chat_audio(r):
    """Of a prompt with audio the cached part is text as far as that goes, then audio."""
    text, audio, cached = some(r), some(r), 0
    cached = r.choice([0, text, min(text + 1, text + audio), text + audio, r.randint(0, text + audio)])
    truth = {TEXT: text - min(text, cached), READ: min(text, cached), AUDIO: audio - max(0, cached - text),
             IN % "audio_cache_read": max(0, cached - text), ANSWER: some(r)}
    payload = chat(r, truth)
    payload["usage"]["prompt_tokens_details"] = {"cached_tokens": cached, "audio_tokens": audio}
    return truth, payload, SUMMED


def openai_responses(r):
    truth = sizes(r, ("text_uncached", "text_cache_read", "text_cache_write_30m"))
    truth.update(sizes(r, ("text", "reasoning"), OUT))
    return truth, {"id": "resp_1", "object": "response", "created_at": 1793699990, "status": r.choice(["completed", "incomplete"]),
                   "model": "owl-9", "output": [], "usage": usage(
                       *split(truth), RESPONSES, input_tokens_details=without_zeros(
                           r, {"cached_tokens": truth[READ], "cache_write_tokens": truth[WRITES["_30m"]]}),
                       output_tokens_details=without_zeros(r, {"reasoning_tokens": truth[THOUGHTS]}))}, [("usage", name) for name in RESPONSES]


def responses_stream(r):
    truth, answer, _ = openai_responses(r)
    begun = dict(answer, status="in_progress", usage=None)
    return truth, [{"type": "response.created", "response": begun}, {"type": "response.output_text.delta", "delta": "a"},
                   {"type": "response." + answer["status"], "response": answer}], []


def realtime(r):
    """The one vendor that tells which modality was cached."""
    truth = sizes(r, ("text_uncached", "text_cache_read", "audio_uncached", "audio_cache_read", "image_uncached", "image_cache_read"))
    truth.update(sizes(r, ("text", "audio"), OUT))
    read = {name: truth[IN % (name + "_cache_read")] for name in ("text", "audio", "image")}
    details = {name + "_tokens": truth[IN % (name + "_uncached")] + read[name] for name in read}
    details.update(cached_tokens=sum(read.values()), cached_tokens_details={name + "_tokens": read[name] for name in read})
    return truth, {"type": "response.done", "event_id": "e", "response": {"id": "resp_1", "object": "realtime.response", "status": "completed",
                   "usage": usage(*split(truth), RESPONSES, input_token_details=details, output_token_details={
                       "text_tokens": truth[ANSWER], "audio_tokens": truth[SPOKEN]})}}, [("response", "usage", name) for name in RESPONSES]


def images(r):
    truth = {TEXT: some(r), IMAGE: some(r), DRAWN: some(r)}
    return truth, {"created": 1793699990, "data": [], "usage": usage(*split(truth), RESPONSES, input_tokens_details={
        "text_tokens": truth[TEXT], "image_tokens": truth[IMAGE]})}, [("usage", name) for name in RESPONSES]


def embeddings(r):
    truth = {TEXT: some(r)}
    return truth, {"object": "list", "data": [], "model": "owl-9", "usage": {"prompt_tokens": truth[TEXT], "total_tokens": truth[TEXT]}}, \
        [("usage", "prompt_tokens"), ("usage", "total_tokens")]


def engine(r):
    """vLLM and its like: counts of modalities in an object of their own."""
    truth = {TEXT: some(r), IMAGE: some(r), AUDIO: some(r), **sizes(r, ("text", "reasoning"), OUT)}
    payload = chat(r, truth, (), (("reasoning_tokens", THOUGHTS),))
    payload["usage"]["prompt_tokens_details"] = {"cached_tokens": 0, "created_cache_tokens": some(r), "multimodal_tokens": {
        "image": truth[IMAGE], "audio": truth[AUDIO]}}
    return truth, payload, SUMMED


def engine_stream(r):
    """Continuous usage counts each choice for itself; the last chunk counts them all."""
    prompt, choices = some(r), r.randint(1, 4)
    counts, chunks = [0] * choices, []
    for _ in range(r.randint(1, 12)):
        choice = r.randrange(choices)
        counts[choice] += r.randint(0, 5)
        chunks.append({"id": "c", "model": "owl-9", "choices": [{"index": choice, "delta": {}}], "usage": usage(prompt, counts[choice], CHAT)})
    chunks.append({"id": "c", "model": "owl-9", "choices": [], "usage": usage(prompt, sum(counts), CHAT)})
    return {TEXT: prompt, ANSWER: sum(counts)}, chunks + ["[DONE]"], []


def sglang(r):
    truth = {TEXT: some(r), READ: r.randint(1, 999), **sizes(r, ("text", "reasoning"), OUT)}
    payload = chat(r, truth, (("cached_tokens", READ),), (), reasoning_tokens=truth[THOUGHTS])
    payload["usage"]["completion_tokens_details"] = {"rejected_prediction_tokens": some(r), "accepted_prediction_tokens": some(r)}
    return truth, payload, SUMMED


def llamacpp(r):
    truth = {TEXT: some(r), READ: some(r), ANSWER: some(r)}
    payload = chat(r, truth, (("cached_tokens", READ),))
    payload["timings"] = {"cache_n": truth[READ], "prompt_n": truth[TEXT], "predicted_n": truth[ANSWER]}
    return truth, payload, SUMMED + [("timings", "cache_n"), ("timings", "prompt_n")]


def timings(r):
    truth = {TEXT: some(r), READ: some(r), ANSWER: some(r)}
    return truth, {"model": "owl-9", "timings": {"cache_n": truth[READ], "prompt_n": truth[TEXT], "predicted_n": truth[ANSWER]}}, []


def anthropic_usage(r, truth):
    written = truth[WRITES["_5m"]] + truth[WRITES["_1h"]]
    details = without_zeros(r, {"cache_read_input_tokens": truth[READ], "cache_creation_input_tokens": written})
    if written or r.random() < 0.5:
        details["cache_creation"] = {"ephemeral_5m_input_tokens": truth[WRITES["_5m"]], "ephemeral_1h_input_tokens": truth[WRITES["_1h"]]}
    return {"input_tokens": truth[TEXT], "output_tokens": truth[ANSWER] + truth[THOUGHTS],
            "output_tokens_details": {"thinking_tokens": truth[THOUGHTS]}, "service_tier": "standard", **details}


def anthropic_truth(r):
    return {**sizes(r, ("text_uncached", "text_cache_read", "text_cache_write_5m", "text_cache_write_1h")),
            **sizes(r, ("text", "reasoning"), OUT)}


def anthropic(r):
    truth = anthropic_truth(r)
    written = [("usage", "cache_creation_input_tokens"), ("usage", "cache_creation", "ephemeral_5m_input_tokens")]
    payload = {"id": "msg_1", "type": "message", "model": "owl-9", "content": [], "usage": anthropic_usage(r, truth)}
    checked = written if all(payload["usage"].get(path[1]) is not None for path in written) else []
    return truth, payload, checked


def anthropic_stream(r):
    """The prompt comes first, the output grows, and a later event may repeat all, some or none."""
    truth = anthropic_truth(r)
    final, output = anthropic_usage(r, truth), truth[ANSWER] + truth[THOUGHTS]
    begun = {**final, "output_tokens": min(1, output), "output_tokens_details": None}
    chunks = [{"type": "message_start", "message": {"id": "msg_1", "type": "message", "model": "owl-9", "usage": begun}}, {"type": "ping"}]
    if r.random() < 0.5:
        chunks.append({"type": "message_delta", "usage": {"output_tokens": output // 2 if output > 1 else output}})
    last = {"output_tokens": output, "output_tokens_details": final["output_tokens_details"]}
    for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"):
        way = r.randint(0, 3)
        if way < 3:
            last[name] = (final.get(name), None, 0)[way]
    return truth, chunks + [{"type": "message_delta", "usage": last}, {"type": "message_stop"}], []


def gemini_lists(r, counts):
    listed = [{"modality": name, "tokenCount": count} for name, count in counts.items() if count > 0]
    r.shuffle(listed)
    return listed


def gemini(r):
    """Counts of nothing are left out; thoughts and the prompt of tools stand beside."""
    kinds = {"TEXT": "text", "IMAGE": "image", "AUDIO": "audio", "VIDEO": "video"}
    truth = {IN % ("%s_%s" % (kind, state)): some(r, 9000) for kind in kinds.values() for state in ("uncached", "cache_read")}
    truth.update({TOOLS: some(r, 900), ANSWER: some(r), DRAWN: some(r, 2000), THOUGHTS: apart(r)})
    read = {name: truth[IN % (kind + "_cache_read")] for name, kind in kinds.items()}
    prompt = {name: truth[IN % (kind + "_uncached")] + read[name] for name, kind in kinds.items()}
    said = {"promptTokenCount": sum(prompt.values()), "cachedContentTokenCount": sum(read.values()),
            "candidatesTokenCount": truth[ANSWER] + truth[DRAWN], "thoughtsTokenCount": truth[THOUGHTS], "toolUsePromptTokenCount": truth[TOOLS]}
    said["totalTokenCount"] = sum(said.values()) - said["cachedContentTokenCount"]
    checked = [("usageMetadata", name) for name, count in said.items() if count > 0 or name in ("promptTokenCount", "totalTokenCount")]
    said = {name: count for name, count in said.items() if count > 0 or name in ("promptTokenCount", "totalTokenCount")}
    said.update(promptTokensDetails=gemini_lists(r, prompt), cacheTokensDetails=gemini_lists(r, read),
                candidatesTokensDetails=gemini_lists(r, {"TEXT": truth[ANSWER], "IMAGE": truth[DRAWN]}))
    return truth, {"modelVersion": "owl-9", "candidates": [{"finishReason": "STOP"}], "usageMetadata": said}, checked


def bedrock(r):
    truth = {**sizes(r, ("text_uncached", "text_cache_read", "text_cache_write_5m", "text_cache_write_1h")), ANSWER: some(r)}
    lives = [{"ttl": life[1:], "inputTokens": truth[WRITES[life]]} for life in ("_5m", "_1h") if truth[WRITES[life]] > 0]
    said = {"inputTokens": truth[TEXT], "outputTokens": truth[ANSWER], "totalTokens": sum(truth.values()),
            "cacheReadInputTokens": truth[READ], "cacheWriteInputTokens": truth[WRITES["_5m"]] + truth[WRITES["_1h"]], "cacheDetails": lives}
    return truth, {"stopReason": "end_turn", "usage": said}, [("usage", name) for name in said if name != "cacheDetails"]


def deepseek(r):
    truth = {TEXT: some(r), READ: some(r), **sizes(r, ("text", "reasoning"), OUT)}
    payload = chat(r, truth, (("cached_tokens", READ),), (("reasoning_tokens", THOUGHTS),), prompt_cache_hit_tokens=truth[READ],
                   prompt_cache_miss_tokens=truth[TEXT])
    return truth, payload, SUMMED + [("usage", "prompt_cache_hit_tokens"), ("usage", "prompt_cache_miss_tokens")]


def xai(r):
    """Reasoning is on top of the completion, and the total has it."""
    truth = {TEXT: some(r), READ: some(r), ANSWER: some(r), THOUGHTS: apart(r)}
    payload = chat(r, truth, (("cached_tokens", READ),), (("reasoning_tokens", THOUGHTS),))
    payload["usage"]["completion_tokens"] = truth[ANSWER]
    return truth, payload, SUMMED


def groq_stream(r):
    truth = {TEXT: some(r), READ: some(r), **sizes(r, ("text", "reasoning"), OUT)}
    counts = chat(r, truth, (("cached_tokens", READ),), (("reasoning_tokens", THOUGHTS),))["usage"]
    last = {"id": "c", "model": "owl-9", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "x_groq": {"id": "r", "usage": counts}}
    if r.random() < 0.5:
        last["usage"] = counts
    return truth, [{"id": "c", "model": "owl-9", "choices": [{"index": 0, "delta": {}}], "usage": None}, last, "[DONE]"], []


def openrouter(r):
    truth = {**sizes(r, ("text_uncached", "text_cache_read", "text_cache_write")), **sizes(r, ("text", "reasoning"), OUT)}
    return truth, chat(r, truth, (("cached_tokens", READ), ("cache_write_tokens", WRITES[""])), (("reasoning_tokens", THOUGHTS),),
                       cost=r.randint(0, 9)), SUMMED


def helicone_answer(r):
    """Writes are on top of the prompt, and the total has the reads a second time."""
    truth = {**sizes(r, ("text_uncached", "text_cache_read", "text_cache_write_5m", "text_cache_write_1h")), **sizes(r, ("text",), OUT)}
    prompt, written = truth[TEXT] + truth[READ], truth[WRITES["_5m"]] + truth[WRITES["_1h"]]
    details = {"cached_tokens": truth[READ], "cache_write_tokens": written, "cache_write_details": {
        "write_5m_tokens": truth[WRITES["_5m"]], "write_1h_tokens": truth[WRITES["_1h"]]}}
    return truth, {"model": "owl-9", "choices": [], "usage": {
        "prompt_tokens": prompt, "completion_tokens": truth[ANSWER], "total_tokens": prompt + truth[ANSWER] + truth[READ] + written,
        "prompt_tokens_details": details}}, [("usage", "prompt_tokens_details", "cache_write_tokens")]


def litellm(r):
    """Whatever the provider's own habit is, the parts are inside."""
    truth = {**sizes(r, ("text_uncached", "text_cache_read", "text_cache_write_5m", "text_cache_write_1h")),
             **sizes(r, ("text", "reasoning"), OUT)}
    truth[TEXT] += 1
    truth[ANSWER] += 1
    counts = usage(*split(truth), CHAT)
    inside = dict(counts, cache_read_input_tokens=truth[READ], cache_creation_input_tokens=truth[WRITES["_5m"]] + truth[WRITES["_1h"]],
                  prompt_tokens_details={"cached_tokens": truth[READ], "cache_creation_token_details": {
                      "ephemeral_5m_input_tokens": truth[WRITES["_5m"]], "ephemeral_1h_input_tokens": truth[WRITES["_1h"]]}},
                  completion_tokens_details={"reasoning_tokens": truth[THOUGHTS]})
    return truth, {"call_type": "acompletion", "status": "success", "cache_hit": "False", "model": "owl-9", "team_id": "acct_1",
                   "startTime": "2026-11-03 09:59:58", "endTime": "2026-11-03 10:00:00", "metadata": {"usage_object": inside}, **counts}, \
        [(name,) for name in CHAT] + [("metadata", "usage_object", name) for name in CHAT + ("cache_read_input_tokens",)]


def otel(r):
    """Counts are texts, and stand in a list."""
    truth = {**sizes(r, ("text_uncached", "text_cache_read", "text_cache_write")), **sizes(r, ("text", "reasoning"), OUT)}
    counts = {"input_tokens": split(truth)[0], "output_tokens": split(truth)[1], "cache_read.input_tokens": truth[READ],
              "cache_creation.input_tokens": truth[WRITES[""]], "reasoning.output_tokens": truth[THOUGHTS]}
    listed = [{"key": "gen_ai.usage." + name, "value": {"intValue": str(count)}} for name, count in counts.items()]
    listed += [{"key": "gen_ai." + name, "value": {"stringValue": value}} for name, value in (
        ("operation.name", "chat"), ("response.model", "owl-9"))] + [{"key": "tenant.id", "value": {"stringValue": "acct_1"}}]
    r.shuffle(listed)
    return truth, {"traceId": "t", "startTimeUnixNano": "1793699990000000000", "endTimeUnixNano": "1793699991000000000", "attributes": listed}, []


def langfuse(r):
    """Keys stand beside each other, and the total is their sum."""
    truth = {**sizes(r, ("text_uncached", "text_cache_read", "text_cache_write")), **sizes(r, ("text", "reasoning"), OUT)}
    keys = {"input": TEXT, "cache_read_input_tokens": READ, "cache_creation_input_tokens": WRITES[""], "output": ANSWER,
            "output_reasoning_tokens": THOUGHTS}
    said = {key: truth[meter] for key, meter in keys.items()}
    said["total"] = sum(said.values())
    return truth, {"type": "GENERATION", "model": "owl-9", "endTime": "2026-11-03T10:00:00Z", "tenant": "acct_1", "usageDetails": said}, \
        [("usageDetails", name) for name in said]


def envoy(r):
    truth = {**sizes(r, ("text_uncached", "text_cache_read", "text_cache_write")), **sizes(r, ("text", "reasoning"), OUT)}
    truth[TEXT] += 1
    truth[ANSWER] += 1
    counts = {"input_tokens": split(truth)[0], "output_tokens": split(truth)[1], "cache_read.input_tokens": truth[READ],
              "cache_creation.input_tokens": truth[WRITES[""]], "reasoning_tokens": truth[THOUGHTS]}
    return truth, {"start_time": "2026-11-03T09:59:59Z", "duration": 1000, "response_code": 200, "response_flags": "-", "tenant": "acct_1",
                   "gen_ai.response.model": "owl-9", **{"gen_ai.usage." + name: count for name, count in counts.items()}}, []


def properties(r):
    """The flat members that billing services are sent: numbers or texts."""
    truth = {**sizes(r, ("text_uncached", "text_cache_read", "text_cache_write")), **sizes(r, ("text", "reasoning"), OUT)}
    said = usage(*split(truth), RESPONSES, cached_input_tokens=truth[READ], cache_write_tokens=truth[WRITES[""]],
                 reasoning_tokens=truth[THOUGHTS])
    said = {name: str(count) if r.random() < 0.5 else count for name, count in said.items()}
    return truth, dict(said, model="owl-9")


def lago(r):
    truth, said = properties(r)
    return truth, {"transaction_id": "", "external_subscription_id": "acct_1", "timestamp": "1793699990.5", "code": "tokens",
                   "properties": said}, [("properties", name) for name in RESPONSES]


def orb(r):
    truth, said = properties(r)
    return truth, {"idempotency_key": "", "external_customer_id": "acct_1", "timestamp": "2026-11-03T10:00:00Z", "event_name": "tokens",
                   "properties": said}, [("properties", name) for name in RESPONSES]


CAPTURED = [  # payloads in a CloudEvent
    ("openai.chat", openai_chat), ("openai.chat", openai_chat_audio), ("openai.responses", openai_responses),
    ("openai.responses", responses_stream), ("openai.realtime", realtime), ("openai.images", images), ("openai.embeddings", embeddings),
    ("vllm.chat", engine), ("vllm.chat", engine_stream), ("nim.chat", engine_stream), ("trtllm.chat", engine_stream), ("sglang.chat", sglang),
    ("sglang.chat", engine_stream), ("llamacpp.chat", llamacpp), ("llamacpp.timings", timings), ("anthropic.messages", anthropic),
    ("anthropic.messages", anthropic_stream), ("gemini.generate_content", gemini), ("bedrock.converse", bedrock), ("deepseek.chat", deepseek),
    ("xai.chat", xai), ("groq.chat", groq_stream), ("openrouter.chat", openrouter), ("helicone.gateway.chat", helicone_answer),
]
BARE = [  # records with an identity of their own: where that stands
    ("litellm.spend_logs", litellm, "request_id", ()), ("otel.gen_ai.span", otel, "spanId", ()),
    ("langfuse.observations", langfuse, "id", ("--field", "tenant=tenant")),
    ("envoy_ai_gateway.access_log", envoy, "x-request-id", ("--field", "tenant=tenant", "--field", "id=x-request-id")),
    ("lago.event", lago, "transaction_id", ()), ("orb.event", orb, "idempotency_key", ()),
]


def shuffled(r, value):
    """The same with its members in another order: JSON has none."""
    if isinstance(value, list):
        return [shuffled(r, item) for item in value]
    if not isinstance(value, dict):
        return value
    members = [(name, shuffled(r, item)) for name, item in value.items()]
    r.shuffle(members)
    return dict(members)



def spell(r, text):
    """Some numbers as 12.0, as 1.2e1 or as 120E-1: all of them are 12.  A choice has one name."""
    out = [""]
    for part in text.split(" "):
        digits = part.rstrip(",]}")
        if digits.isdigit() and out[-1] != '"index":' and r.random() < 0.2:
            ways = [digits + ".0", digits + "e0", "%s.%se%d" % (digits[0], digits[1:] or "0", len(digits) - 1)]
            part = r.choice(ways + ([digits + "0E-1"] if digits != "0" else [])) + part[len(digits):]
        out.append(part)
    return " ".join(out[1:])


def captured(r, writer, payload, number):
    """In a CloudEvent.  What one record says twice it writes in one way."""
    line = json.dumps(dict(ENVELOPE, id="e%d" % number, data=payload))
    return line if writer is groq_stream else spell(r, line)


def one_more(payload, path):
    twin = copy.deepcopy(payload)
    at = twin
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = str(int(at[path[-1]]) + 1) if isinstance(at[path[-1]], str) else at[path[-1]] + 1
    return twin


def lines_of(r, writer, wrap, count):
    """Records, and of each what it has to become: its meters, or None where it must be set aside."""
    lines, wanted = [], []
    for _ in range(count):
        truth, payload, checked = writer(r)
        versions = [(payload, {name: value for name, value in truth.items() if value > 0})]
        if checked:
            versions.append((one_more(payload, r.choice(checked)), None))
        for version, meters in versions:
            lines.append(wrap(shuffled(r, version), len(lines)))
            wanted.append(meters)
    return lines, wanted


def judge(name, lines, wanted, options):
    """What is wrong with the first record that is, or None."""
    done = subprocess.run(["tollbook", "formats", "try", name, "-", "--json", "--all", "--as-of", AS_OF, *options],
                          input="\n".join(lines).encode() + b"\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 7):
        return "exit code %d: %s" % (done.returncode, done.stderr.decode(errors="replace"))
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
    if len(answers) != len(lines):
        return "%d answers to %d records" % (len(answers), len(lines))
    for line, answer, meters in zip(lines, answers, wanted):
        if meters is None:
            if answer["outcome"] != "quarantined":
                return "%s, though a count is one more: %s" % (answer["outcome"], line)
            continue
        if answer["outcome"] != "accepted" or len(answer["events"]) != 1:
            return "%s %s %s: %s" % (answer["outcome"], answer["code"], answer.get("field"), line)
        got = {meter: int(value) for meter, value in answer["events"][0]["data"]["quantities"].items() if meter != "requests"}
        if got != meters:
            return "%s\n    wanted %s\n    of %s" % (got, meters, line)
        context = answer["events"][0]["data"].get("context_input_tokens")
        if context != split(meters)[0]:
            return "context %s, wanted %d, of %s" % (context, split(meters)[0], line)
    return None


def told(r, name, writer, wrap, count, options=()):
    lines, wanted = lines_of(r, writer, wrap, count)
    problem = judge(name, lines, wanted, options)
    print("%s - all of %d random truths, written as %s by %s, become the tokens they were made of; %d that are false are set aside" % (
        "ok" if problem is None else "not ok", len(wanted) - wanted.count(None), name, writer.__name__, wanted.count(None)))
    if problem is not None:
        print("    " + problem)
    return problem is None


def main():
    r, count = random.Random(int(sys.argv[1])), int(sys.argv[2])
    fine = True
    for name, writer in CAPTURED:
        fine = told(r, name, writer, lambda payload, number, writer=writer: captured(r, writer, payload, number), count) and fine
    for name, writer, key, options in BARE:
        fine = told(r, name, writer, lambda payload, number, key=key: json.dumps(dict(payload, **{key: "k%d" % number})), count,
                    options) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
