#!/usr/bin/env bash
# A month at a token factory, from usage files to invoices and a workbook; `make demo` runs it.  What it writes goes to
# build/demo, except its private server, which lives in a temporary folder that build/demo/environment names.
#   TRACES=DIR    also takes real request traces from DIR (DIR/mooncake, DIR/azure-llm-2023)
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/demo
as_of=2026-11-05T02:00:00Z   # the clock of the demo, so that it prints the same every day
traces=${TRACES-}
PATH=$PWD/${BUILD:-build}:$PATH
unset TOLLBOOK_DB PGHOST PGSERVICE PGDATABASE PGHOSTADDR
export USER=demo

# Each run begins with empty books.
if [ -f $out/environment ]; then
	. $out/environment
	tollbook local stop --quiet || :
	case $TOLLBOOK_HOME in */tollbook-demo.*/home) rm -rf "${TOLLBOOK_HOME%/home}" ;; esac
fi
rm -rf $out
mkdir -p $out
# PostgreSQL does not run as root; the user it runs as instead must be able to get there.
place=$(mktemp -d "${TMPDIR:-/tmp}/tollbook-demo.XXXXXX")
chmod 711 "$place"
export TOLLBOOK_HOME=$place/home
printf 'export TOLLBOOK_HOME=%q PATH=%q:$PATH\n' "$TOLLBOOK_HOME" "$PWD/${BUILD:-build}" >$out/environment
trap 'tollbook local stop --quiet' EXIT

title() { printf '\n== %s\n' "$*"; }
# Exit code 7: done, and something waits for a person.
run() {
	local code=0
	printf '$ %s\n' "$*"
	"$@" || code=$?
	case $code in 0) ;; 7) echo '(exit 7: done, and something waits for a person)' ;; *) exit $code ;; esac
}

title 'Books on a private PostgreSQL, made by the first verb'
run tollbook init

title 'A month of usage, invented'
run awk -v OUT=$out -f examples/generate.awk
gzip -n -f $out/usage-2.ndjson
wc -c $out/usage-1.ndjson $out/usage-2.ndjson.gz $out/usage-3.csv | sed '$d'

title 'Into the ledger, each event once'
run tollbook ingest --as-of $as_of $out/usage-1.ndjson $out/usage-2.ndjson.gz
run tollbook ingest --as-of $as_of --mapping examples/mappings/gateway-csv.json $out/usage-3.csv
run tollbook quarantine list

title 'What it costs, by whose contract'
for book in examples/prices/public-*.json; do run tollbook prices publish --as-of $as_of "$book"; done
run tollbook tenant apply --as-of $as_of examples/tenants.json
run tollbook rate --as-of $as_of --period 2026-10

title 'Invoices'
run tollbook invoice draft --as-of $as_of --period 2026-10
run tollbook invoice finalize --as-of $as_of --period 2026-10
number=$(tollbook invoice list --format csv | tr -d '\r' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "number") n = i } NR > 1 && $n != "" { print $n; exit }')
run tollbook explain --as-of $as_of "$number/1" | sed -n '1,13p; 14s/.*/.../p'

title 'For finance'
run tollbook report workbook --as-of $as_of --period 2026-10 -o $out/tollbook-2026-10.xlsx

if [ -n "$traces" ] && [ -f "$traces/mooncake/conversation_tokens.csv" ]; then
	title 'Real traces: one hour of Kimi (Mooncake) and of two Azure services, November 2023'
	echo 'The traces have no tenant, no model and no idempotency key; Mooncake counts milliseconds from the start of its hour.  Tenant,'
	echo 'model and that epoch come from the mapping; the key is the digest of the file and the number of the row.'
	trace() { run tollbook ingest --as-of $as_of --key-from-position --late-days 2000 --mapping "examples/mappings/$1" "$2"; }
	trace trace-mooncake.json "$traces/mooncake/conversation_tokens.csv"
	trace trace-azure-conv.json "$traces/azure-llm-2023/AzureLLMInferenceTrace_conv.csv"
	trace trace-azure-code.json "$traces/azure-llm-2023/AzureLLMInferenceTrace_code.csv"
	run tollbook prices publish --as-of $as_of examples/prices/trace-usd.json
	run tollbook tenant apply --as-of $as_of examples/tenants-traces.json
	run tollbook rate --as-of $as_of --period 2023-11
	# 90,695,412 uncached, 54,098,411 cached and 4,122,048 output tokens at 0.15, 0.075 and 0.60 a million.
	wanted=20.134921425
	got=$(tollbook local psql -- -X -A -t -c "SELECT trim_scale(sum(amount)) FROM finance.charge JOIN finance.current_rating USING (rating_id) WHERE tenant = 'moon'")
	echo "Mooncake's charges must be exactly $wanted USD, and are $got USD."
	[ "$got" = $wanted ]
fi

title 'Does it all add up?'
run tollbook reconcile --as-of $as_of

title 'And all of it as one command, for a machine at two in the morning: new usage, and the night after the month'
mkdir -p $out/drop
sed 's/"time":"2026-10-31T/"time":"2026-11-05T/; s/"id":"/"id":"november-/' $out/usage-1.ndjson | grep '"time":"2026-11-05T' >$out/drop/november.ndjson
cat >$out/tollbook.conf <<END
[night]
documents = $out/documents
[source drop]
kind = files
folder = $out/drop
END
run tollbook nightly --config $out/tollbook.conf --date 2026-11-06 --as-of 2026-11-06T02:10:00Z
run tollbook status --config $out/tollbook.conf --as-of 2026-11-06T08:00:00Z

title 'What there is now'
run tollbook invoice list
cat <<END

  $out/tollbook-2026-10.xlsx        the month for finance
  $out/documents                    what the night wrote: invoices, workbooks, its manifest
  $out/tollbook.conf                what it was told
  $out/usage-*                      the usage it was made from
  . $out/environment                to go on with these books: tollbook explain $number/1, tollbook local psql ...
END
