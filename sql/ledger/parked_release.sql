-- A person takes what is parked as it is: those of these numbers, or all of a tenant.
-- $1 text[] numbers
-- $2 text tenant, '' for none
-- $3 text note
-- $4 text ticket
-- $5 timestamptz when
-- $6 text by whom
WITH released AS (
	INSERT INTO finance.parked_release (parked_id, by_itself, note, ticket, released_at, released_by)
	SELECT parked_id, false, $3::text, $4::text, $5::timestamptz, $6::text
	  FROM finance.parked_now
	 WHERE parked_id = ANY ($1::text[]::bigint[]) OR ($2::text <> '' AND tenant = $2::text)
	RETURNING parked_id
)
SELECT parked_id, p.tenant, p.period, p.reason, COALESCE(trim_scale(p.measured)::text, ''), p.currency, p.detail
  FROM released JOIN finance.parked p USING (parked_id) ORDER BY parked_id;
