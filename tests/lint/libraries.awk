# Fails where a header that is neither ours nor the C library's is included by more than one file: each foreign library has
# one file that knows it, and its quirks stand on top of that file.
BEGIN {
	n = split("arpa/inet assert ctype dirent endian errno fcntl fnmatch ftw getopt glob grp inttypes limits netinet/in pthread pwd signal stdalign " \
		"stdarg stdatomic stdbool stddef stdint stdio stdlib string strings time unistd sys/file sys/mman sys/random" \
		" sys/resource sys/socket sys/stat sys/statvfs sys/time sys/types sys/un sys/wait", name, " ")
	for (i = 1; i <= n; i++) standard[name[i] ".h"] = 1
}
/^#[ \t]*include[ \t]*</ {
	split($0, part, /[<>]/); header = part[2]
	if (header in standard) next
	library = header; sub(/\/.*/, "", library)
	module = FILENAME; sub(/\.[ch]$/, "", module) # a header and its .c are one
	if (library in known && known[library] != module) {
		printf "%s:%d: <%s> is %s's: call that file instead\n", FILENAME, FNR, header, known[library]; bad = 1
	} else known[library] = module
}
END { exit bad }
