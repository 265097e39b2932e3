-- A merged run takes the place of those it was made of, with their entries and keys; the database refuses where anything is missing.
-- $1 bigint the new run, whose pages and filter are there
-- $2 bigint[] the old runs
-- $3 bigint blocks of the new run's filter, 0 for none
-- $4 numeric sum of the hashes of its keys
SELECT encode(uuid_send(metering.merge_done($1::bigint, $2::bigint[], $3::bigint, $4::numeric)), 'hex');
