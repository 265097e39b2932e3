-- Has this database ever been initialised?
SELECT to_regclass('tollbook.migration') IS NOT NULL;
