-- The grant that a request made; no row where there is none.
-- $1 text request
SELECT grant_id, tenant, kind, currency, minor_units, amount_minor, (extract(epoch FROM starts) * 1000000)::bigint,
       (extract(epoch FROM expires) * 1000000)::bigint, (extract(epoch FROM granted_at) * 1000000)::bigint, priority, model_pattern,
       array_to_string(meters, ' '), reason, ticket, note
  FROM finance.credit_grant WHERE request_id = $1::text;
