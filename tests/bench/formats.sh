#!/usr/bin/env bash
# How many events a second one core parses of each usage format, with no database and nothing else around it; beside the canonical event,
# which is the limit: all other formats say the same in more bytes.
#   BENCH_RECORDS     records parsed of each format, five times; 1000000 where it is not set.  Of streams and of lists of ten a tenth.
#   BENCH_FORMATS     only these, "openai.chat canonical"
# What is printed is kept in build/bench/formats.txt.  The exit code is 1 where one of the hot formats is slower than 250,000 events a second.
set -euo pipefail
cd "$(dirname "$0")/../.."
records=${BENCH_RECORDS:-1000000}
build=${BUILD:-build}
result=build/bench/formats.txt
wanted=250000
hot=' canonical openai.chat vllm.chat openai.responses anthropic.messages litellm.spend_logs '
all='canonical openai.chat vllm.chat openai.responses anthropic.messages litellm.spend_logs gemini.generate_content bedrock.converse
	envoy_ai_gateway.access_log dynamo.request_trace langfuse.observations otel.gen_ai.span openai.chat.stream anthropic.messages.stream'
mkdir -p build/bench
room=$(mktemp -d "${TMPDIR:-/tmp}/tollbook.XXXXXX")
trap 'rm -rf "$room"' EXIT
slow=0

row() { printf '%-30s %12s %12s %10s %14s %6s\n' "$@" | tee -a "$result"; }

# measure NAME: the records repeat, from more of them than any cache holds.
measure() {
	local name=$1 format=${1%.stream} count=$records distinct=20000 wishes=() rate nanoseconds bytes events mark=''
	case $name in
	*.stream | otel.gen_ai.span) count=$((records / 10)) distinct=2000 ;;
	esac
	case $name in
	bedrock.converse) wishes=(model=eu.anthropic.claude-sonnet-4-5-20250929-v1:0) ;;
	litellm.spend_logs | dynamo.request_trace | langfuse.observations | otel.gen_ai.span | envoy_ai_gateway.access_log)
		wishes=(source=/bench tenant=acct) ;;
	esac
	python3 tests/bench/format_records.py "$name" "$distinct" >"$room/records"
	read -r rate nanoseconds bytes events < <("$build/tests/bench/parse_formats" "$format" "$room/records" "$count" "${wishes[@]}") || exit 1
	if [[ "$hot" = *" $name "* ]] && [ "$rate" -lt "$wanted" ]; then
		mark='slow'
		slow=1
	fi
	row "$name" "$rate" "$nanoseconds" "$bytes" "$events" "$mark"
}

: >"$result"
row "one core of $(uname -m)" 'events/s' 'ns/record' 'bytes' 'events/record' ''
for name in ${BENCH_FORMATS:-$all}; do measure "$name"; done
[ $slow = 0 ] || { echo "hot formats are to reach $wanted events/s"; exit 1; }
