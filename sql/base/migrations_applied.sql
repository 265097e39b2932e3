-- The migrations applied, in order, with the checksum of their text.
SELECT name, checksum FROM tollbook.migration ORDER BY number;
