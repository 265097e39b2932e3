-- A rating of a tenant's period.
-- $1 bigint run
-- $2 text tenant
-- $3 text period
-- $4 bigint summed until
-- $5 bigint priced until
-- $6 bigint newest price book version
-- $7 bigint newest contract
-- $8 bytea digest of what went in
-- $9 bytea digest of what came out
INSERT INTO finance.rating (rating_id, rating_run, tenant, period, summed_until, priced_until, priced_with, contracted_with,
       input_digest, output_digest)
VALUES (nextval('finance.rating_id'), $1::bigint, $2::text, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bytea, $9::bytea)
RETURNING rating_id;
