#!/usr/bin/env bash
# Roles: who may give how much away, at once and in a day; reasons; and the audit log of both.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

new_database roles
check "the books are set up" tollbook init

cat >"$room/roles.json" <<'END'
{"roles": [
  {"role": "support", "members": ["ann", "bob"], "limits": [{"currency": "USD", "per_grant": "50", "per_day": "120"}, {"currency": "JPY", "per_grant": "500", "per_day": "600"}]},
  {"role": "lead", "members": ["bob"], "limits": [{"currency": "USD", "per_grant": "100", "per_day": "100.50"}]},
  {"role": "finance", "members": ["eve"], "unlimited": true}],
 "approval": [{"currency": "USD", "above": "1000"}]}
END
table() { tr -d '\r' | sed 1d | tr '\n' '/'; }

# Applying.
equal "without a file there is no role" "$(tollbook role list)" 'no roles: nobody is limited'
equal "a dry run says what would be" "$(tollbook role apply "$room/roles.json" --dry-run --format csv | table)" \
	'role finance,,members: eve; unlimited,applied/role lead,,"members: bob; USD 100.00 at once, 100.50 a day",applied/'`
	`'role support,,"members: ann, bob; JPY 500 at once, 600 a day; USD 50.00 at once, 120.00 a day",applied/approval USD,,above 1000.00,applied/'
equal "and changes nothing" "$(tollbook role list)" 'no roles: nobody is limited'
check "roles are applied" tollbook role apply "$room/roles.json" --by eve
equal "and listed" "$(tollbook role list --format csv | table)" \
	'finance,eve,,unlimited,unlimited/lead,bob,USD,100.00,100.50/support,"ann, bob",JPY,500,600/support,"ann, bob",USD,50.00,120.00/'
equal "with the approval limits" "$(tollbook role list --approval --format csv | table)" 'USD,1000.00/'
equal "applied again, all is unchanged" "$(tollbook role apply "$room/roles.json" --format csv | tr -d '\r' | sed 1d | grep -vc unchanged)" 0
equal "and the audit log has each change once" "$(sql "SELECT count(*) FROM finance.audit_log WHERE action = 'role apply'")" 4
sed 's/"eve"/"eve", "kim"/; s/"unlimited": true}\],/"unlimited": true}]}/; /"approval"/d' "$room/roles.json" >"$room/next.json"
check "another file takes their place" tollbook role apply "$room/next.json" --by eve
equal "what is new and what is gone are in the audit log, before and after" \
	"$(sql "SELECT subject, before, after FROM finance.audit_log ORDER BY audit_id DESC LIMIT 2" | tr '\n' '/')" \
	'approval USD|above 1000.00|/role finance|members: eve; unlimited|members: eve, kim; unlimited/'
equal "who applied it, too" "$(tollbook audit list --who eve --action role --limit 1 --format csv | table | cut -d, -f3-5)" 'eve,role apply,approval USD'
check "the first file again" tollbook role apply "$room/roles.json" --by eve

# A file is read strictly.
bad() { sed "$2" "$room/roles.json" >"$room/bad.json"; refused "$1" 3 "$3" tollbook role apply "$room/bad.json"; }
bad "a key that is not known" 's/per_day/per_dya/' 'per_dya'
bad "a currency that is not one" 's/"JPY"/"JPX"/' 'not a current ISO 4217 currency code'
bad "a thousandth of a yen" 's/"500"/"500.5"/' 'JPY has 0 decimals'
bad "a limit below zero" 's/"50"/"-50"/' 'an amount below zero'
bad "an amount that is a number" 's/"50"/50/' 'per_grant'
bad "a role twice" 's/"lead"/"support"/' 'a role twice'
bad "a member twice" 's/"ann", "bob"/"ann", "ann"/' 'a member of role "support" twice'
bad "a currency twice" 's/"JPY", "per_grant": "500", "per_day": "600"/"USD", "per_grant": "1", "per_day": "1"/' 'a second limit of role "support" for USD'
bad "a name that is no role's" 's/"lead"/"The Lead"/' 'a role'
bad "limits of who is unlimited" 's/"unlimited": true/"unlimited": true, "limits": [{"currency": "USD", "per_grant": "1", "per_day": "1"}]/' 'is unlimited and has limits'
bad "no roles at all" 's/"roles"/"roels"/' 'roels'
equal "nothing of these was applied" "$(tollbook role apply "$room/roles.json" --format csv | tr -d '\r' | sed 1d | grep -vc unchanged)" 0

# The schema says what the program says, but for what a schema cannot say.
schema() { /usr/bin/python3 tests/support/schema.py "$@"; }
verdicts() {
	local file said
	for file in "$1"/*.json; do
		if said=$(tollbook role apply --dry-run --quiet "$file" 2>&1); then said=yes; else said=$(head -n 1 <<<"$said"); fi
		printf '%s: %s\n' "$(basename "$file")" "$said"
	done
}
printf '%s\n' 'not a current ISO 4217 currency' 'a second limit of role' >"$room/beyond.txt"
check "the schema takes the file" schema valid docs/roles.schema.json "$room/roles.json"
check "every key of the schema is in it" schema keys docs/roles.schema.json "$room/roles.json"
check "copies of it are made with one change each" schema change "$room/roles.json" "$room/changed"
check "schema and program judge them alike" schema agree docs/roles.schema.json "$room/changed" "$room/beyond.txt" < <(verdicts "$room/changed")

# Giving.
cat >"$room/book.json" <<'END'
{"tollbook_prices": 1, "book": "b", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [{"model": "small",
 "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1000}, "output_text_tokens": {"price": "2", "per": 1000}}}]}
END
cat >"$room/tenants.json" <<'END'
{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [
 {"tenant": "acme", "name": "Acme", "currency": "USD", "zone": "UTC", "book": "b", "issuer": "TF", "effective": "2026-01-01"}]}
END
check "a price book is published" tollbook prices publish --quiet "$room/book.json"
check "a tenant has a contract" tollbook tenant apply --quiet "$room/tenants.json"
# give WHO AMOUNT [OPTION]...: a goodwill credit, at the time $at; gift: any credit.
gift() {
	local who=$1 amount=$2
	shift 2
	tollbook credit grant acme "$amount" --by "$who" --as-of "${at:-$as_of}" "$@"
}
give() { gift "$@" --kind goodwill --reason goodwill; }
given_by() { sql "SELECT COALESCE(sum(amount_minor), 0) FROM finance.credit_grant WHERE granted_by = '$1'"; }
refused "who has no role may give nothing" 4 'zoe has no role, and may give nothing' give zoe 1
refused "ann may not give 50.01 at once" 4 'ann may give 50.00 USD at once, not 50.01' give ann 50.01
check "but 50.00" give ann 50.00
check "and 50.00 more, with a request id" give ann 50 --request twice
check "the same request again counts once" give ann 50 --request twice
refused "20.01 more would be above a day" 4 'ann may give 120.00 USD a day, and 20.01 more would be above it' give ann 20.01
check "20.00 are not" give ann 20
refused "then nothing more on that day" 4 'Given today (UTC): 120.00 USD.' give ann 0.01
at=2026-11-05T23:59:59Z refused "not in its last second either" 4 'a day' give ann 0.01
at=2026-11-06T00:00:00Z check "on the next one, there is" give ann 0.01
equal "ann gave 120.01" "$(given_by ann)" 12001
check "of two roles the wider limit counts: bob gives 100 at once" give bob 100
check "and 120 in a day" give bob 20
refused "but no more" 4 'bob may give 120.00 USD a day' give bob 0.01
check "eve is not limited" give eve 99999
check "what is paid in advance is not given away" gift ann 30 --kind prepaid --reason prepaid_purchase
pids=() codes=''
for i in 1 2 3 4; do at=2026-11-07T00:00:00Z give ann 40 >/dev/null 2>&1 & pids+=($!); done
for pid in "${pids[@]}"; do wait "$pid"; codes+="$? "; done
equal "four times 40.00 at once do not pass the limit together" "$(tr ' ' '\n' <<<"$codes" | sort | tr -d '\n')" 0004

# A credit note counts like a credit.
october=2026-10-20T10:00:00Z
ingest - <<<"$(event a acme $october small 100000 0)" >/dev/null
check "usage is rated" rate
check "and invoiced: 100.00" tollbook invoice draft --as-of $as_of
note() { tollbook credit-note issue TF-INV-2026-000001 --amount "$2" --reason goodwill --by "$1" --as-of "$3"; }
check "the invoice is final" tollbook invoice finalize --as-of 2026-11-08T00:00:00Z
check "ann issues a credit note of 40.00" note ann 40 2026-11-08T00:00:00Z
at=2026-11-08T01:00:00Z check "and gives a credit of 50.00" give ann 50
refused "a credit note of 30.01 would be above the day" 4 'ann may give 120.00 USD a day' note ann 30.01 2026-11-08T02:00:00Z
refused "one of 50.01 above the limit for one" 4 'ann may give 50.00 USD at once' note ann 50.01 2026-11-09T00:00:00Z
check "one of 30.00 is not" note ann 30 2026-11-08T02:00:00Z

# Reasons.
check "a reason is added" tollbook reason add beta_customer --for credit_note --for credit --meaning 'agreed for the beta'
equal "and listed with what it is for" "$(tollbook reason list --format csv | grep beta | tr -d '\r')" 'beta_customer,"credit, credit_note",agreed for the beta'
equal "added again, it is there" "$(tollbook reason add beta_customer --for credit --for credit_note --meaning 'agreed for the beta')" 'beta_customer: there before'
refused "it does not change its meaning" 4 'with another meaning or for other uses' tollbook reason add beta_customer --for credit --for credit_note --meaning 'something else'
refused "a use that is none" 2 'no verb takes reasons for "credits"' tollbook reason add other --for credits --meaning m
refused "a code that is none" 2 'is no reason code' tollbook reason add 'Beta customer' --for credit --meaning m
check "credits are granted with it" gift eve 1 --kind goodwill --reason beta_customer
refused "one that is not for credits is refused, with those that are" 2 'beta_customer, contract_change' gift eve 1 --kind goodwill --reason bankruptcy

# --json.
equal "--json is short for --format json" "$(tollbook role list --json)" "$(tollbook role list --format json)"
check "both together say the same" tollbook role list --json --format json
refused "--json beside another format is refused" 2 '--json and --format csv are given together' tollbook role list --json --format csv
refused "a verb without rows takes no --json" 2 'does not take --json' tollbook init --json
check "the books reconcile" tollbook reconcile --quiet
report
