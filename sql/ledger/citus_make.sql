-- Loads Citus into this database.
CREATE EXTENSION IF NOT EXISTS citus;
