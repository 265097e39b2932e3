# Fails where an #include points up or sideways: which room may see which is this table.
BEGIN {
	may["base"] = " base "
	may["ledger"] = " base ledger "
	may["ingest"] = " base ledger ingest "
	may["rating"] = " base ledger rating "
	may["reports"] = " base ledger ingest rating reports "
	may["nightly"] = " base ledger ingest rating reports nightly "
}
function room(path) { return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "" }
FNR == 1 { here = room(FILENAME) }
/^#[ \t]*include "/ {
	split($0, part, "\""); there = room(part[2])
	if (here in may && there != "" && index(may[here], " " there " ") == 0) {
		printf "%s:%d: %s may not include \"%s\"\n", FILENAME, FNR, here, part[2]; bad = 1
	}
}
END { exit bad }
