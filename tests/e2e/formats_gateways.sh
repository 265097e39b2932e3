#!/usr/bin/env bash
# What gateways, observability stores and billing systems report becomes the meters that it should; what only looks like usage,
# and what cannot be known, does not.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/formats.sh

as_expected litellm.spend_logs litellm.standard_logging envoy_ai_gateway.access_log kong.ai_log helicone.request_response \
	helicone.gateway.chat langfuse.observations otel.gen_ai.span cloudevents openmeter.tokens lago.event stripe.meter_event \
	metronome.usage orb.event

# fact NAME RECORD FACT...: "FACT=VALUE ..." of one record.
fact() { told "$1" "${@:3}" | sed -n "s/^$2 //p"; }
fact_of_item() { told "$1" "${@:4}" | sed -n "s/^$2 //p" | sed -n "$3p"; }

# Times: each source has its own unit, and none is guessed.
equal "a LiteLLM row's time with a blank for T, ending at 10:00:00.5, is read" \
	"$(fact litellm.spend_logs 1 time started_at)" \
	"time=2026-11-03T10:00:00.500000Z started_at=2026-11-03T09:59:58.250000Z"
equal "1793700000.25 seconds of LiteLLM are 10:00:00.25, and nothing of the quarter is lost" \
	"$(fact litellm.standard_logging 1 time)" "time=2026-11-03T10:00:00.250000Z"
equal "09:59:59.250 and 750 ms of Envoy are 10:00:00" "$(fact envoy_ai_gateway.access_log 1 time)" "time=2026-11-03T10:00:00Z"
equal "1793699999250 ms and 750 ms of Kong are 10:00:00" "$(fact kong.ai_log 1 time)" "time=2026-11-03T10:00:00Z"
equal "Helicone's 10:00:00 without a zone is UTC" "$(fact helicone.request_response 1 time)" "time=2026-11-03T10:00:00Z"
equal "1793700000000000999 ns of a span are 10:00:00, cut and not rounded" "$(fact otel.gen_ai.span 1 time)" "time=2026-11-03T10:00:00Z"
equal "1793700000.125 seconds of Lago, as a text, are 10:00:00.125" "$(fact lago.event 15 time)" "time=2026-11-03T10:00:00.125000Z"

# Identity: what is one call.
equal "LiteLLM's payload is known by the proxy's call, not by the provider's answer or the trace" \
	"$(fact litellm.standard_logging 1 id response_id trace_id)" "id=call-1 response_id=chatcmpl-a trace_id=tr-1"
equal "a span is known by trace and span" "$(fact otel.gen_ai.span 1 id)" "id=0af7651916cd43dd8448eb211c80319c/b7ad6b7169203331"
equal "an event of a list is known by its own id" "$(fact_of_item orb.event 14 2 id subject)" "id=o-15 subject=acct_1"
equal "the attempt that failed is no event, and the fallback is one with its own model" \
	"$(told litellm.standard_logging id model | sed -n 2,3p)" $'2 N_FAILED_NO_USAGE\n3 id=call-3 model=second-try'
equal "a repeated id is the ledger's to judge: both come out alike here" \
	"$(fact litellm.spend_logs 1 id model)" "$(fact litellm.spend_logs 15 id model)"
spend=$data/litellm.spend_logs.ndjson payload=$data/litellm.standard_logging.ndjson
refused "LiteLLM's trace id is refused as an id, and why" 2 "retries and fallbacks" \
	tollbook formats try litellm.standard_logging "$payload" --field id=trace_id
refused "so is the id of the provider's answer" 2 "ids that repeat" \
	tollbook formats try litellm.standard_logging "$payload" --field id=id
refused "so is a session's" 2 "one session has many calls" tollbook formats try litellm.spend_logs "$spend" --field id=session_id
refused "and a whole trace of spans" 2 "share it" \
	tollbook formats try otel.gen_ai.span "$data/otel.gen_ai.span.ndjson" --field id=traceId
equal "without a name for the id Envoy's lines have none, since a client may have chosen it" \
	"$(try envoy_ai_gateway.access_log "$data/envoy_ai_gateway.access_log.ndjson" --field tenant=x-tenant-id --record 1 |
		tests/support/format_lines.py)" "1 rejected E_ID_MISSING -"
equal "nor have Helicone's rows" "$(try helicone.request_response "$data/helicone.request_response.ndjson" --record 1 |
	tests/support/format_lines.py)" "1 rejected E_ID_MISSING -"

# Tenants and names.
equal "a span without a tenant has its resource's" "$(fact_of_item otel.gen_ai.span 10 1 subject)" "subject=acct_2"
equal "of two resources in one line, each span has its own one's tenant" \
	"$(told otel.gen_ai.span subject | sed -n 's/^16 subject=//p' | tr '\n' ' ')" "acct_2 acct_1 acct_9 acct_1 acct_9 "
equal "LiteLLM's anthropic/claude-invented is served so, and its base is claude-invented" \
	"$(fact litellm.spend_logs 1 model base_model provider deployment)" \
	"model=anthropic/claude-invented base_model=claude-invented provider=anthropic deployment=dep-1"
equal "Envoy's event has the model that served, and the one that was asked for beside it" \
	"$(fact envoy_ai_gateway.access_log 1 model model_requested)" "model=luna-2026-07-01 model_requested=luna"
equal "a connection that broke is an aborted call with what was counted until then" \
	"$(fact envoy_ai_gateway.access_log 6 status complete)" "status=aborted complete=False"

# What is not said is unknown, and not zero.
equal "without details a LiteLLM row does not know its cached and reasoning tokens" \
	"$(fact litellm.spend_logs 2 unknown)" "unknown=cache_read,reasoning"
equal "LiteLLM's 1000 in are told whole: 300 + 600 + 70 + 30" \
	"$(fact litellm.spend_logs 1 context_input_tokens input_tokens output_tokens total_tokens)" \
	"context_input_tokens=1000 input_tokens=1000 output_tokens=50 total_tokens=1050"
equal "what Langfuse keeps apart adds up to the prompt: 100 + 300" \
	"$(fact langfuse.observations 1 context_input_tokens total_tokens)" "context_input_tokens=400 total_tokens=440"
report
