-- What a run was made with, and what it made.
-- $1 bigint run
-- $2 text period it was limited to, or ''
-- $3 text tenant it was limited to, or ''
-- $4 timestamptz when
-- $5 text version of the program
-- $6..$11 bigint batches, events, intervals, ratings, charges, holds
-- $12 bytea digest over its ratings' output
-- $13 text kind
INSERT INTO finance.rating_run (rating_run, kind, scope_period, scope_tenant, started_at, code_version, zone_data, batches, events,
       intervals, ratings, charges, holds, output_digest)
VALUES ($1::bigint, $13::text, $2::text, $3::text, $4::timestamptz, $5::text, 'PostgreSQL ' || current_setting('server_version'),
       $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::bigint, $12::bytea);
