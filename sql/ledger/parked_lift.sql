-- Lets a period go that is parked for a reason whose cause is gone.
-- $1 text reason
-- $2 text tenant
-- $3 text period
-- $4 timestamptz when
-- $5 text by whom
INSERT INTO finance.parked_release (parked_id, by_itself, note, ticket, released_at, released_by)
SELECT parked_id, true, 'its cause is gone', '', $4::timestamptz, $5::text
  FROM finance.parked_now WHERE reason = $1::text AND tenant = $2::text AND period = $3::text;
