# Fails where a file below sql/ does not begin with what it is for, or binds a parameter that its comments do not name.
function finish(  i) {
	for (i = 1; i <= used; i++) if (!(i in told)) { printf "%s: $%d has no comment line\n", file, i; bad = 1 }
	split("", told); used = 0
}
FNR == 1 { finish(); file = FILENAME; if ($0 !~ /^-- [A-Za-z(]/) { printf "%s: the first line does not say what it is for\n", file; bad = 1 } }
file ~ /^sql\/migrations\// { next }
/^-- \$[0-9]+\.\.\$[0-9]+ / {
	from = to = $2; sub(/\.\..*/, "", from); sub(/.*\.\./, "", to)
	for (i = substr(from, 2) + 0; i <= substr(to, 2) + 0; i++) told[i] = 1
	next
}
/^-- \$[0-9]+ / { told[substr($2, 2) + 0] = 1; next }
/^--/ { next }
{ line = $0; while (match(line, /\$[0-9]+/)) { n = substr(line, RSTART + 1, RLENGTH - 1) + 0; if (n > used) used = n; line = substr(line, RSTART + RLENGTH) } }
END { finish(); exit bad }
