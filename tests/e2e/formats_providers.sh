#!/usr/bin/env bash
# What providers and engines report becomes the meters that it should, as tests/data/formats/NAME.expected says: what is inside what,
# what is unknown and not zero, what adds up and what does not, which id is safe, what is left of a stream that was cut.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/formats.sh

# each_case NAME...: a check for each case that tests/support/format_data.py judges.
each_case() {
	local line
	while IFS= read -r line; do
		case $line in
		"ok - "*) ok "${line#ok - }" ;;
		"not ok - "*) not_ok "${line#not ok - }" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done < <(python3 tests/support/format_data.py "$@" 2>&1 || echo 'not ok - every case is as it should be')
}
each_case openai.chat openai.responses openai.embeddings openai.images openai.transcription openai.realtime openai.batch \
	vllm.chat sglang.chat trtllm.chat nim.chat dynamo.request_trace dynamo.audit llamacpp.chat llamacpp.timings tgi.chat \
	anthropic.messages anthropic.batch_results gemini.generate_content bedrock.converse deepseek.chat mistral.chat xai.chat \
	xai.responses groq.chat openrouter.chat cohere.chat
check "there are more than 150 cases" test "$passed" -gt 150

# An id that is not safe is refused with the reason, unless the user's own description says otherwise.
answers=$data/vllm.chat.ndjson
refused "vLLM's id is refused as an id: a client chooses it" 2 'X-Request-Id of the client' \
	tollbook formats try vllm.chat "$answers" --field id=id
refused "so is OpenAI's" 2 'nobody promises that it is unique' tollbook formats try openai.chat "$data/openai.chat.ndjson" --field id=id
refused "so is the client's id of a Dynamo record" 2 'may send the same one twice' \
	tollbook formats try dynamo.request_trace "$data/dynamo.request_trace.ndjson" --field id=request/x_request_id
refused "so is the custom_id of a line in OpenAI's batch" 2 'unique only inside its batch' \
	tollbook formats try openai.batch "$data/openai.batch.ndjson" --field id=^custom_id
refused "so is the id that a client may choose for an event of a session" 2 'a client may choose it' \
	tollbook formats try openai.realtime "$data/openai.realtime.ndjson" --field id=^event_id
equal "a line of Anthropic's batch without the batch's id is refused" \
	"$(try anthropic.batch_results "$data/anthropic.batch_results.ndjson" --record 1 --constant source=/b --constant tenant=acct_1 \
		--constant time=2026-11-03T10:00:00Z | tests/support/format_lines.py)" "1 rejected E_ID_MISSING -"

# What an operator says of the own servers.
printf '%s' '{"tollbook_format": 1, "format": "own.vllm", "extends": "vllm.chat", "adapters": {"acme-owl": "acme/owl-32b"},
	"input": {"inside": {"cache_read": {"path": "usage/prompt_tokens_details/cached_tokens", "absent": "zero"}}}}' >"$room/own.json"
printf '%s\n' '{"specversion": "1.0", "type": "example.capture", "source": "/own", "id": "o1", "subject": "acct_1", "time": "2026-11-03T10:00:00Z",
	"data": {"model": "acme-owl", "usage": {"prompt_tokens": 90, "completion_tokens": 30, "total_tokens": 120}}}' | tr -d '\n' >"$room/own.ndjson"
facts() { try "$room/own.json" "$room/own.ndjson" | tests/support/format_lines.py "$@"; }
equal "where the operator knows that details are on, a missing cached count is a zero, and only reasoning is unknown" \
	"$(facts unknown)" "1 unknown=reasoning"
equal "an adapter's base model comes from the operator's table" "$(facts model base_model)" "1 model=acme-owl base_model=acme/owl-32b"
# own NAME MEMBERS: a description of the user's, $room/NAME.json, that extends what MEMBERS say.
own() { printf '{"tollbook_format": 1, "format": "%s", %s}' "$1" "$2" >"$room/$1.json"; }
own beside '"extends": "openai.chat", "input": {"beside": {"uncached": "usage/fresh_tokens"}}'
refused "what is uncached can only be compared with what is left of the total" 3 'what is uncached is inside the total' \
	tollbook formats show "$room/beside.json"
own rest '"extends": "openai.images", "output": {"rest": "reasoning"}'
refused "what is left of an output is a modality" 3 'field output.rest' tollbook formats show "$room/rest.json"
own less '"extends": "openai.chat", "counts": {"web_search_calls": {"path": "usage/searches", "less": "usage/pages"}}'
refused "only what is counted can have some left out" 3 'field counts.web_search_calls.less' tollbook formats show "$room/less.json"
report
