# Reads code.awk's "FILE:LINE:code" and fails on words that have no place in it.
BEGIN {
	n = split("strcpy strncpy strcat strncat sprintf vsprintf gets strtok atoi atol atoll system popen" \
		" setlocale gmtime localtime mktime alloca", name, " ")
	for (i = 1; i <= n; i++) banned[name[i]] = "has a safer sister"
	# Money and quantities are decimals and integers; only the workbook library wants a double, at its door.
	banned["float"] = banned["double"] = banned["strtod"] = banned["strtof"] = banned["strtold"] = banned["atof"] = "is binary floating point"
}
{
	at = index($0, ":"); file = substr($0, 1, at - 1); rest = substr($0, at + 1)
	at = index(rest, ":"); line = substr(rest, 1, at - 1); code = substr(rest, at + 1)
	if (code ~ /^[ \t]*#[ \t]*pragma GCC poison/) next
	while (match(code, /[A-Za-z_][A-Za-z_0-9]*/)) {
		word = substr(code, RSTART, RLENGTH); code = substr(code, RSTART + RLENGTH)
		if (!(word in banned)) continue
		if (banned[word] ~ /floating/ && file == door) continue
		printf "%s:%s: %s %s\n", file, line, word, banned[word]; bad = 1
	}
}
END { exit bad }
