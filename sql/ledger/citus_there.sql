-- Whether the database can have the Citus extension, and has it.
SELECT EXISTS (SELECT FROM pg_catalog.pg_available_extensions WHERE name = 'citus'),
       EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus');
