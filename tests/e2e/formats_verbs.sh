#!/usr/bin/env bash
# tollbook formats list, show, try and guess: what they say of formats and records, with no database; and what `try` says a record
# becomes is what ingest books: the events that it prints, read as tollbook's own, make the same ledger.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh

as_of=2026-11-05T00:00:00Z
data=tests/data/formats
names=$(ls ingest/formats/*.json | sed 's|.*/||; s|\.json$||' | LC_ALL=C sort)
captured() { printf '{"specversion":"1.0","type":"answer","source":"/gw","id":"%s","time":"2026-11-03T10:00:00Z","subject":"ann","data":%s}\n' "$@"; }
chat() { printf '{"object":"chat.completion","model":"small","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}' "$@"; }
try() { tollbook formats try --as-of $as_of --quiet "$@"; }
# code COMMAND...: its exit code.
code() { "$@" >/dev/null 2>&1; echo $?; }
has() { grep -qE -- "$1" "$2" || { cat "$2"; return 1; }; }

# --- list and show
tollbook formats list --json >"$room/list" 2>&1
equal "the list has each description that is compiled in" "$(python3 -c 'import json, sys
for row in json.load(open(sys.argv[1])): print(row["format"])' "$room/list" | LC_ALL=C sort)" "$names"
row_of() { python3 -c 'import json, sys
print(*next([row["cached"], row["written"], row["reasoning"], row["id"]] for row in json.load(open(sys.argv[1])) if row["format"] == sys.argv[2]), sep="; ")' "$room/list" "$1"; }
check "at OpenAI cached tokens are inside the input, reasoning inside the output, and no id is safe" \
	grep -qE '^inside; inside; inside; CloudEvent$' <<<"$(row_of openai.chat)"
check "at Anthropic cached tokens are beside the input" grep -qE '^beside; ' <<<"$(row_of anthropic.messages)"
check "at xAI the total says whether reasoning is inside" grep -qE '; by total; ' <<<"$(row_of xai.chat)"

shown_all() {
	local name
	for name in $names; do
		tollbook formats show "$name" >"$room/shown" && [ -s "$room/shown" ] || return 1
		tollbook formats show "$name" --json >"$room/$name.own.json" || return 1
		tollbook formats show "$room/$name.own.json" >"$room/shown.own" || return 1
		cmp "$room/shown" "$room/shown.own" || return 1
	done
}
check "each format is shown, and what --json prints is a description of its own that is shown alike" shown_all
tollbook formats show vllm.chat >"$room/vllm"
check "what vLLM tells is shown as a tree: cached tokens inside the input" \
	has '^    - inside cache_read +usage/prompt_tokens_details/cached_tokens; missing: zero where its object' "$room/vllm"
check "an id that is not safe is shown with the reason" has '^  id +unsafe: it is made from the X-Request-Id' "$room/vllm"
check "what it extends is merged in: the stream's end is OpenAI's" has '^  ends with \[DONE\]' "$room/vllm"
check "a rule that asks for the model says so" grep -qE '^  - where the model begins with' <(tollbook formats show bedrock.converse)
refused "an unknown format is refused, and the nearest name told" 2 'Did you mean "vllm.chat"?' tollbook formats show vllm.chatt

# --- try
{
	captured e1 "$(chat 100 20 120 30)"
	captured e2 "$(chat 100 20 120 130)"
	captured e3 "$(chat 100 20 119 0)"
	echo
} >"$room/four"
try openai.chat "$room/four" --record 1 >"$room/one" 2>&1
check "of 100 tokens 30 are cached: a person reads 70 with how it came to be" has '^ *input_text_uncached_tokens +70 +.*prompt_tokens' "$room/one"
check "... and 30 with the path" has '^ *input_text_cache_read_tokens +30 +usage/prompt_tokens_details/cached_tokens' "$room/one"
check "... and whose it is, by the CloudEvent" has '^ *tenant +ann +the event' "$room/one"
try openai.chat "$room/four" >"$room/all" 2>&1
check "130 cached of 100 are set aside, with the code and its meaning" \
	has '^record 2: quarantined, E_SUBSET_EXCEEDS_TOTAL: cached above input' "$room/all"
equal "with records that are set aside the exit code is 7, as with ingest --dry-run" "$(code try openai.chat "$room/four")" 7
equal "with the first record alone it is 0" "$(code try openai.chat "$room/four" --record 1)" 0
refused "a record that is not there is told" 2 'there is no record 5' try openai.chat "$room/four" --record 5
equal "programs get an object a line" "$(try openai.chat - --json <"$room/four" | python3 -c 'import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(row["record"], row["outcome"], row["code"] or "-", len(row["events"]), sep=" ")')" \
	'1 accepted - 1
2 quarantined E_SUBSET_EXCEEDS_TOTAL 0
3 quarantined E_TOTAL_UNEXPLAINED 0
4 ignored N_BLANK 0'
equal "CSV has a row for each name, under one header" "$(try openai.chat "$room/four" --format csv --record 1 |
	grep -E '^(record|1,.*,input_text_cache_read_tokens)')" 'record,outcome,code,name,value,from
1,accepted,,input_text_cache_read_tokens,30,usage/prompt_tokens_details/cached_tokens'
for i in {1..12}; do captured "n$i" "$(chat 10 1 11 0)"; done >"$room/twelve"
equal "of twelve records a table shows ten" "$(try openai.chat "$room/twelve" | grep -c '^record ')" 10
equal "... and --all shows all" "$(try openai.chat "$room/twelve" --all | grep -c '^record ')" 12
chat 7 1 8 0 | sed 's/^{/{"call":"x",/' >"$room/bare"
equal "a bare answer is read with what the command line adds" \
	"$(try openai.chat "$room/bare" --field id=call --constant source=/s --constant tenant=ann --constant time=2026-11-03T10:00:00Z --json |
		python3 -c 'import json, sys
event = json.loads(sys.stdin.read())["events"][0]
print(event["source"], event["id"], event["subject"], event["data"]["quantities"]["input_text_uncached_tokens"])')" '/s x ann 7'
refused "a field that is no safe id is refused, with the reason" 2 'X-Request-Id' try vllm.chat "$room/bare" --field id=id
equal "input that does not begin at all is no record" "$(try openai.chat - --json </dev/null; echo $?)" 0

# --- try is what ingest books
options() { sed -nE 's/^# tollbook formats try [^ ]+ [^ ]+ ?//p; s/^\$ //p' "$1" | head -n 1; }
books_of() {
	sql "SELECT k.event_id, k.content, k.event_time, s.project, s.api_key, e.kind, e.ordinal IS NULL,
			(e.flags & 4) <> 0, COALESCE(e.context, '{}')::jsonb - 'attribution',
			COALESCE(e.context::jsonb -> 'attribution', '{}') - 'api_key_id' - 'project_id'
		  FROM metering.usage_key k JOIN metering.usage_event e USING (event_id) JOIN metering.usage_series s USING (series_id)
		 ORDER BY k.event_id, e.kind"
}
new_database direct
tollbook init --quiet >/dev/null 2>&1
booked=0
for expected in "$data"/*.expected; do
	case=${expected%.expected} name=$(basename "$expected" .expected)
	input=$(ls "$case".ndjson "$case".sse "$case".json 2>/dev/null | head -n 1)
	[ -n "$input" ] || continue
	# A further file of a format is NAME.WORD.sse.
	[ -f "ingest/formats/$name.json" ] || name=${name%.*}
	eval "words=($(options "$expected"))"
	try "$name" "$input" --json "${words[@]}" >>"$room/tried"
	tollbook ingest --format "$name" "${words[@]}" "$input" --as-of $as_of --quiet >"$room/said" 2>&1 || [ $? = 7 ] || cat "$room/said"
	booked=$((booked + 1))
done
check "every committed file of a format was ingested" test "$booked" -ge 10
books_of >"$room/direct"
python3 -c 'import json, sys
for line in sys.stdin:
    for event in json.loads(line)["events"]:
        print(json.dumps(event, ensure_ascii=False))' <"$room/tried" >"$room/events"
shared=${TOLLBOOK_SHARED:-../shared} schema=schema/usage-event.schema.json
if [ -f "$shared/$schema" ]; then
	# The schema has no word for a context that is not known.
	equal "each of the events that try prints is valid by the schema of usage events" "$(/usr/bin/python3 -c 'import json, jsonschema, sys
check = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
for line in open(sys.argv[2]):
    for error in check.iter_errors(json.loads(line.replace(", \"context_input_tokens\": null", ""))):
        print(error.json_path, error.message)' "$shared/$schema" "$room/events" 2>&1 | sort | uniq -c | head -n 20)" ''
else
	skip "events that try prints beside the schema of usage events: no $shared/$schema"
fi
new_database plain
tollbook init --quiet >/dev/null 2>&1
tollbook ingest "$room/events" --as-of $as_of --quiet >"$room/said" 2>&1
equal "none of the events that try prints is set aside by plain ingest for what it is" \
	"$(sql "SELECT code, field, value, count(*) FROM metering.quarantine WHERE code <> 'E_KEY_CONFLICT' GROUP BY 1, 2, 3")" ''
books_of >"$room/plain"
check "they make the same ledger as the records themselves: $(wc -l <"$room/direct") rows" diff "$room/direct" "$room/plain"
check "there is something in it" test "$(wc -l <"$room/direct")" -ge 30

# --- guess
guess() { tollbook formats guess "$@" --as-of $as_of 2>"$room/said"; }
best() { guess "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["format"])'; }
printf '{"id":"x","object":"chat.completion","created":1793700000,"model":"small","choices":[],"usage":{"queue_time":0.1,"prompt_tokens":9,"completion_tokens":1,"total_tokens":10},"x_groq":{"id":"r"}}\n' >"$room/groq"
printf '{"candidates":[],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"totalTokenCount":10},"modelVersion":"flash"}\n' >"$room/gemini"
printf '{"type":"message","model":"sonnet","usage":{"input_tokens":9,"cache_creation_input_tokens":5,"cache_read_input_tokens":4,"output_tokens":1}}\n' >"$room/anthropic"
equal "x_groq speaks for Groq" "$(best "$room/groq")" groq.chat
guess "$room/groq" >"$room/guessed"
check "... which is told" has '^ *groq.chat .*x_groq' "$room/guessed"
check "who sent OpenAI-shaped records decides, it says" has 'who sent the records decides' "$room/said"
equal "usageMetadata speaks for Gemini" "$(best "$room/gemini")" gemini.generate_content
equal "a message with a cache beside its input is Anthropic's" "$(best "$room/anthropic")" anthropic.messages
for name in otel.gen_ai.span litellm.spend_logs stripe.meter_event kong.ai_log langfuse.observations; do
	equal "$name is the best guess for its own records" "$(best "$data/$name.ndjson")" "$name"
done
echo '{"a":1}' >"$room/nothing"
equal "where nothing fits it says so" "$(guess "$room/nothing")" 'nothing fits'
equal "... with exit code 9" "$(code tollbook formats guess "$room/nothing")" 9
refused "standard input cannot be guessed at" 2 'give the file itself' tollbook formats guess -

report
