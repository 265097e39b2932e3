# Turns sql/<room>/<name>.sql into a row of a C table and its name into an enum, and the files of
# sql/migrations/ into a second table, in the order of their numbers.
function quote(line) { gsub(/\\/, "&&", line); gsub(/"/, "\\\"", line); return "\t\t\"" line "\\n\"\n" }
FNR == 1 {
	name = FILENAME; sub(/^sql\//, "", name); sub(/\.sql$/, "", name)
	if (name ~ /^migrations\//) {
		sub(/^migrations\//, "", name); files[++migrations] = name; where = "m"
	} else {
		id = toupper(name); gsub(/[^A-Z0-9]/, "_", id)
		names[++statements] = name; ids[statements] = id; where = "s"
	}
}
{ if (where == "m") migration[migrations] = migration[migrations] quote($0); else statement[statements] = statement[statements] quote($0) }
END {
	printf "/* Made by sql/embed.awk. */\n#include \"base/statement.h\"\n\nconst struct statement statements[] = {\n"
	for (i = 1; i <= statements; i++) printf "\t[SQL_%s] = {\"%s\",\n%s\t},\n", ids[i], names[i], statement[i]
	printf "};\nconst size_t statement_count = %d;\n\nconst struct statement migrations[] = {\n", statements
	for (i = 1; i <= migrations; i++) printf "\t{\"%s\",\n%s\t},\n", files[i], migration[i]
	printf "};\nconst size_t migration_count = %d;\n", migrations
	printf "/* Made by sql/embed.awk. */\nenum statement_id {\n" > IDS
	for (i = 1; i <= statements; i++) printf "\tSQL_%s,\n", ids[i] > IDS
	printf "};\n" > IDS
}
