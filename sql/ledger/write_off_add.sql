-- Writes off what is due of an invoice: nobody expects it to be paid any more.
-- $1 bigint invoice
-- $2 bigint amount in minor units
-- $3 text reason
-- $4 text ticket
-- $5 timestamptz when
-- $6 text by whom
INSERT INTO finance.write_off (invoice_id, amount_minor, reason, ticket, booked_at, booked_by)
VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::timestamptz, $6::text);
