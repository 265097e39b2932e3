-- Which migrations were applied.
CREATE TABLE IF NOT EXISTS tollbook.migration (
	number     integer PRIMARY KEY,
	name       text NOT NULL UNIQUE,
	checksum   text NOT NULL,
	applied_at timestamptz NOT NULL
);
