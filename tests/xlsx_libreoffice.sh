#!/bin/bash
# xlsx_libreoffice.sh FILE.xlsx -- what another spreadsheet program makes of a workbook.
#
# LibreOffice opens the file twice, once trusting the values stored with the formulas and once computing all of them
# anew, and writes every sheet as CSV.  Both must be the same, no cell may hold an error, and there must be formulas.
# Last line: "N passed, N failed"; exit 1 when one failed.
set -u

file=${1:?usage: tests/xlsx_libreoffice.sh FILE.xlsx}
if ! command -v soffice >/dev/null; then
	echo "SKIPPED: LibreOffice (soffice) is not installed; nothing was checked"
	echo "0 passed, 0 failed"
	exit 0
fi

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
passed=0 failed=0

expect() { # expect WHAT COMMAND...: one check
	local what=$1
	shift
	if "$@" >"$room/said" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $what"
		head -n 10 "$room/said"
	fi
}

# A profile of its own, told when to compute formulas: 0 always, 1 never.
profile() {
	mkdir -p "$room/profile-$1/user"
	cat >"$room/profile-$1/user/registrymodifications.xcu" <<-XML
		<?xml version="1.0" encoding="UTF-8"?>
		<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
		<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>$1</value></prop></item>
		</oor:items>
	XML
}

# convert MODE FOLDER FORMULAS: every sheet as CSV, as it is shown; with FORMULAS true, formulas in place of values.
convert() {
	profile "$1"
	mkdir -p "$room/$2"
	timeout 300 soffice "-env:UserInstallation=file://$room/profile-$1" --headless \
		--convert-to "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,$3,false,-1" \
		--outdir "$room/$2" "$room/workbook.xlsx" >"$room/$2.log" 2>&1
}

no_errors() { ! grep -nE '(^|[,"])(Err:[0-9]+|#(VALUE|NAME|REF|DIV/0|NUM|N/A|NULL)[!?]?)' "$1"; }

cp -- "$file" "$room/workbook.xlsx" || exit 1
expect "LibreOffice opens the file" convert 1 stored false
expect "LibreOffice computes the file anew" convert 0 computed false
expect "LibreOffice shows the formulas" convert 1 formulas true

sheets=0
for stored in "$room"/stored/*.csv; do
	[ -f "$stored" ] || continue
	name=$(basename "$stored" .csv)
	sheet=${name#workbook-}
	sheets=$((sheets + 1))
	expect "sheet $sheet is the same when its formulas are computed anew" diff "$stored" "$room/computed/$name.csv"
	expect "sheet $sheet holds no error value" no_errors "$room/computed/$name.csv"
	expect "sheet $sheet holds no stored error value" no_errors "$stored"
done
expect "there are sheets" test "$sheets" -gt 0
expect "there are formulas" grep -qE '(^|,)"?=(SUBTOTAL|SUM|IF)\(' "$room"/formulas/*.csv

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
