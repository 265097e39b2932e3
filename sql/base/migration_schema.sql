-- The schema of the program's own bookkeeping.
CREATE SCHEMA IF NOT EXISTS tollbook;
