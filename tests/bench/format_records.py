#!/usr/bin/env python3
"""Invented records of a usage format, of the size that real ones have: `format_records.py NAME COUNT`, a record a line.

The same arguments give the same bytes.  Answers of models stand in CloudEvents, as a gateway would capture them; logs are as they are.
NAME is a format's name, "canonical", or a format's name and ".stream" (Server-Sent Events as a text).
"""
import json
import random
import sys

draw = random.Random(20261001)
WORDS = "the count of a prompt holds what was read from the cache and what was not while an answer has its own parts".split()
START = 1793700000


def words(count):
    return " ".join(draw.choice(WORDS) for _ in range(count))


def key():
    return "%032x" % draw.getrandbits(128)


def counts():
    """A prompt, what of it was cached, an answer, what of it was reasoning."""
    prompt, answer = draw.randrange(200, 20000), draw.randrange(20, 1200)
    return prompt, draw.randrange(0, prompt), answer, draw.randrange(0, answer)


def captured(number, data, kind="capture.answer.v1"):
    return {"specversion": "1.0", "type": kind, "source": "/gw/eu-1", "id": key(), "time": "2026-11-01T%02d:%02d:%02d.%06dZ" % (
        number // 3600 % 24, number // 60 % 60, number % 60, draw.randrange(1000000)),
        "subject": "acct_%d" % draw.randrange(50), "data": data}


def chat_usage():
    prompt, cached, answer, reasoning = counts()
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer,
            "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0,
                                          "rejected_prediction_tokens": 0}}


def chat(number):
    return {"id": "chatcmpl-" + key(), "object": "chat.completion", "created": START + number, "model": "gpt-5-mini-2025-08-07",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": words(22), "refusal": None, "annotations": []},
                         "logprobs": None, "finish_reason": "stop"}],
            "usage": chat_usage(), "service_tier": "default", "system_fingerprint": "fp_560af6e559"}


def vllm(number):
    prompt, cached, answer, reasoning = counts()
    return {"id": "chatcmpl-" + key(), "object": "chat.completion", "created": START + number, "model": "qwen3-32b",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": words(24), "refusal": None, "annotations": None, "audio": None,
                                                 "function_call": None, "tool_calls": [], "reasoning_content": None},
                         "logprobs": None, "finish_reason": "stop", "stop_reason": None}],
            "service_tier": None, "system_fingerprint": None,
            "usage": {"prompt_tokens": prompt, "total_tokens": prompt + answer, "completion_tokens": answer,
                      "prompt_tokens_details": {"cached_tokens": cached}},
            "prompt_logprobs": None, "kv_transfer_params": None}


def responses(number):
    prompt, cached, answer, reasoning = counts()
    return {"id": "resp_" + key(), "object": "response", "created_at": START + number, "status": "completed", "error": None,
            "model": "gpt-5-mini-2025-08-07",
            "output": [{"id": "rs_" + key(), "type": "reasoning", "summary": []},
                       {"id": "msg_" + key(), "type": "message", "status": "completed", "role": "assistant",
                        "content": [{"type": "output_text", "annotations": [], "text": words(20)}]}],
            "parallel_tool_calls": True, "service_tier": "default", "temperature": 1.0, "top_p": 1.0,
            "usage": {"input_tokens": prompt, "input_tokens_details": {"cached_tokens": cached}, "output_tokens": answer,
                      "output_tokens_details": {"reasoning_tokens": reasoning}, "total_tokens": prompt + answer}}


def messages_usage():
    prompt, cached, answer, _ = counts()
    written = draw.choice([0, 0, 1024])
    return {"input_tokens": prompt - cached, "cache_creation_input_tokens": written, "cache_read_input_tokens": cached,
            "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0}, "output_tokens": answer,
            "service_tier": "standard"}


def messages(number):
    return {"id": "msg_" + key(), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
            "content": [{"type": "text", "text": words(30)}], "stop_reason": "end_turn", "stop_sequence": None, "usage": messages_usage()}


def gemini(number):
    prompt, cached, answer, reasoning = counts()
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": words(25)}]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": prompt, "cachedContentTokenCount": cached, "candidatesTokenCount": answer,
                              "thoughtsTokenCount": reasoning, "totalTokenCount": prompt + answer + reasoning,
                              "promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}],
                              "cacheTokensDetails": [{"modality": "TEXT", "tokenCount": cached}]},
            "modelVersion": "gemini-2.5-flash", "responseId": key()[:22]}


def bedrock(number):
    prompt, cached, answer, _ = counts()
    return {"output": {"message": {"role": "assistant", "content": [{"text": words(30)}]}}, "stopReason": "end_turn",
            "usage": {"inputTokens": prompt - cached, "outputTokens": answer, "totalTokens": prompt + answer,
                      "cacheReadInputTokens": cached, "cacheWriteInputTokens": 0},
            "metrics": {"latencyMs": draw.randrange(300, 9000)}, "model": "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"}


def spend_log(number):
    usage = chat_usage()
    stamp = "2026-11-01 %02d:%02d:%02d" % (number // 3600 % 24, number // 60 % 60, number % 60)
    return {"request_id": "chatcmpl-" + key(), "call_type": "acompletion", "api_key": key() + key(), "spend": 0.0021,
            "total_tokens": usage["total_tokens"], "prompt_tokens": usage["prompt_tokens"], "completion_tokens": usage["completion_tokens"],
            "startTime": stamp + ".100000+00:00", "endTime": stamp + ".900000+00:00", "completionStartTime": stamp + ".400000+00:00",
            "model": "openai/gpt-5-mini", "model_id": key(), "model_group": "small", "custom_llm_provider": "openai",
            "api_base": "https://api.invalid/v1", "user": "u%d" % draw.randrange(500), "metadata": {"usage_object": usage},
            "cache_hit": "False", "cache_key": "Cache OFF", "request_tags": ["team:blue"], "team_id": "team_%d" % draw.randrange(50),
            "organization_id": "org_1", "end_user": "", "session_id": None, "status": "success"}


def span(number):
    prompt, cached, answer, _ = counts()
    end = (START + number) * 10**9 + draw.randrange(10**9)
    texts = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5-mini",
             "gen_ai.response.model": "gpt-5-mini-2025-08-07", "tenant.id": "acct_%d" % draw.randrange(50),
             "gen_ai.response.id": "chatcmpl-" + key()}
    numbers = {"gen_ai.usage.input_tokens": prompt, "gen_ai.usage.cache_read.input_tokens": cached, "gen_ai.usage.output_tokens": answer}
    return {"traceId": key(), "spanId": key()[:16], "parentSpanId": key()[:16], "name": "chat gpt-5-mini", "kind": 3,
            "startTimeUnixNano": str(end - 2 * 10**9), "endTimeUnixNano": str(end),
            "attributes": [{"key": name, "value": {"stringValue": text}} for name, text in texts.items()] +
                          [{"key": name, "value": {"intValue": str(count)}} for name, count in numbers.items()], "status": {}}


def spans(number):
    return {"resourceSpans": [{"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "gateway"}}]},
                               "scopeSpans": [{"scope": {"name": "gen_ai"}, "spans": [span(10 * number + i) for i in range(10)]}]}]}


def observation(number):
    prompt, cached, answer, reasoning = counts()
    return {"id": key(), "traceId": key(), "type": "GENERATION", "name": "answer", "startTime": "2026-11-01T10:00:00.000Z",
            "endTime": "2026-11-01T10:00:02.000Z", "model": "gpt-5-mini-2025-08-07", "input": {"messages": [words(20)]}, "output": words(20),
            "usageDetails": {"input": prompt - cached, "input_cached_tokens": cached, "output": answer - reasoning,
                             "output_reasoning_tokens": reasoning, "total": prompt + answer},
            "costDetails": {"total": 0.0021}, "metadata": {"tenant": "acct_%d" % draw.randrange(50)}}


def access_log(number):
    prompt, cached, answer, reasoning = counts()
    return {"gen_ai.request.model": "gpt-5-mini", "gen_ai.response.model": "gpt-5-mini-2025-08-07", "gen_ai.provider.name": "openai",
            "gen_ai.usage.input_tokens": prompt, "gen_ai.usage.output_tokens": answer, "gen_ai.usage.reasoning_tokens": reasoning,
            "llm_cached_input_token": cached, "llm_cache_creation_input_token": 0, "start_time": "2026-11-01T09:59:58.500Z",
            "duration": draw.randrange(300, 9000), "response_code": 200, "response_flags": "-", "x-request-id": key(),
            "x-tenant-id": "acct_%d" % draw.randrange(50)}


def trace(number):
    prompt, cached, answer, _ = counts()
    end = (START + number) * 1000
    return {"schema": "dynamo.request.trace.v1", "event_type": "request_end", "event_time_unix_ms": end, "event_source": "dynamo",
            "request": {"request_id": key(), "x_request_id": key(), "model": "qwen3-32b", "input_tokens": prompt, "cached_tokens": cached,
                        "output_tokens": answer, "request_received_ms": end - 4000, "total_time_ms": 4000.25, "ttft_ms": 210.5,
                        "finish_reason_metadata": {"finish_reason": "stop"},
                        "replay": {"trace_block_size": 64, "input_length": prompt,
                                   "input_sequence_hashes": [draw.getrandbits(64) for _ in range(16)]}}}


def chat_stream(number):
    chunk = {"id": "chatcmpl-" + key(), "object": "chat.completion.chunk", "created": START + number, "model": "gpt-5-mini-2025-08-07"}
    chunks = [dict(chunk, choices=[{"index": 0, "delta": {"content": draw.choice(WORDS) + " "}, "finish_reason": None}], usage=None)
              for _ in range(20)]
    chunks.append(dict(chunk, choices=[], usage=chat_usage()))
    return "".join("data: %s\n\n" % json.dumps(one, separators=(",", ":")) for one in chunks) + "data: [DONE]\n\n"


def messages_stream(number):
    usage = messages_usage()
    answer = usage["output_tokens"]
    start = messages(number)
    start.update(content=[], stop_reason=None, usage=dict(usage, output_tokens=1))
    chunks = [{"type": "message_start", "message": start}, {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}]
    chunks += [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": draw.choice(WORDS)}} for _ in range(20)]
    chunks += [{"type": "content_block_stop", "index": 0},
               {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": answer}},
               {"type": "message_stop"}]
    return "".join("event: %s\ndata: %s\n\n" % (one["type"], json.dumps(one, separators=(",", ":"))) for one in chunks)


def canonical(number):
    prompt, cached, answer, reasoning = counts()
    return captured(number, {
        "kind": "usage", "operation": "chat", "provider": "openai", "model": "gpt-5-mini", "service_tier": "default", "status": "completed",
        "measurement": {"method": "provider", "complete": True}, "context_input_tokens": prompt,
        "quantities": {"requests": 1, "input_text_uncached_tokens": prompt - cached, "input_text_cache_read_tokens": cached,
                       "output_text_tokens": answer - reasoning, "output_reasoning_tokens": reasoning},
        "reported": {"input_tokens": prompt, "output_tokens": answer},
        "trace": {"response_id": "chatcmpl-" + key()}}, "tollbook.usage.v1")


ANSWERS = {"openai.chat": chat, "vllm.chat": vllm, "openai.responses": responses, "anthropic.messages": messages,
           "gemini.generate_content": gemini, "bedrock.converse": bedrock, "openai.chat.stream": chat_stream,
           "anthropic.messages.stream": messages_stream}
LOGS = {"canonical": canonical, "litellm.spend_logs": spend_log, "otel.gen_ai.span": spans, "langfuse.observations": observation,
        "envoy_ai_gateway.access_log": access_log, "dynamo.request_trace": trace}


def main():
    name, count = sys.argv[1], int(sys.argv[2])
    for number in range(count):
        record = LOGS[name](number) if name in LOGS else captured(number, ANSWERS[name](number))
        sys.stdout.write(json.dumps(record, separators=(",", ":")) + "\n")


main()
