-- The runs of the register, to read all of it: number, token, entries, first batch, blocks of the filter.
SELECT run, encode(uuid_send(token), 'hex'), first_entry, last_entry, first_batch, filter_blocks FROM metering.key_run ORDER BY run;
