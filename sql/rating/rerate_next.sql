-- The number of a re-rate that is being planned.
SELECT nextval(pg_get_serial_sequence('finance.rerate', 'rerate_id'));
