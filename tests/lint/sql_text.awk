# Reads code.awk's string literals and fails on SQL: it belongs into a file below sql/.
/"(SELECT|INSERT INTO|UPDATE|DELETE FROM|TRUNCATE|CREATE (TABLE|SCHEMA|INDEX|DATABASE)|DROP|ALTER|COPY|WITH|MERGE|EXECUTE|PREPARE|VALUES) / {
	print $0 " -- SQL belongs into sql/"; bad = 1
}
END { exit bad }
