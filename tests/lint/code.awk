# Prints C source without its comments, and without what stands in string and character literals (kept with -v keep=strings:
# then only the literals are printed), line by line as "FILE:LINE:text".
FNR == 1 { comment = 0 }
{
	line = $0; out = ""; literal = ""
	while (line != "") {
		if (comment) {
			at = index(line, "*/")
			if (at == 0) { line = ""; break }
			line = substr(line, at + 2); comment = 0
			continue
		}
		if (!match(line, /"|'|\/\*|\/\//)) { out = out line; break }
		out = out substr(line, 1, RSTART - 1)
		mark = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
		if (mark == "/*") { comment = 1; continue }
		if (mark == "//") break
		# to the closing quote that no backslash stands before
		text = ""
		while (line != "") {
			c = substr(line, 1, 1)
			if (c == "\\") { text = text substr(line, 1, 2); line = substr(line, 3); continue }
			line = substr(line, 2)
			if (c == mark) break
			text = text c
		}
		if (out ~ /^[ \t]*#[ \t]*include[ \t]*$/) { out = out mark text mark; continue }
		out = out mark mark
		if (mark == "\"") literal = literal "\"" text "\" "
	}
	if (keep == "strings") { if (literal != "") printf "%s:%d:%s\n", FILENAME, FNR, literal }
	else if (out ~ /[^ \t]/) printf "%s:%d:%s\n", FILENAME, FNR, out
}
