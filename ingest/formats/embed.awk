# Turns ingest/formats/<name>.json into a row of a C table, with a last row that is none, for a table without rows is no C.
function quote(line) { gsub(/\\/, "&&", line); gsub(/"/, "\\\"", line); return "\t\t\"" line "\\n\"\n" }
FNR == 1 {
	name = FILENAME; sub(/^.*\//, "", name); sub(/\.json$/, "", name)
	names[++count] = name
}
{ text[count] = text[count] quote($0) }
END {
	printf "/* Made by ingest/formats/embed.awk. */\n#include \"ingest/profile.h\"\n\nconst struct profile_source profile_sources[] = {\n"
	for (i = 1; i <= count; i++) printf "\t{\"%s\",\n%s\t},\n", names[i], text[i]
	printf "\t{NULL, NULL},\n};\nconst size_t profile_source_count = %d;\n", count
}
