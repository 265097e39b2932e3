-- A reason; nothing where it is there already.
-- $1 text the reason
-- $2 text what it means
-- $3 text[] the uses
INSERT INTO finance.reason (reason, meaning, used_for) VALUES ($1::text, $2::text, $3::text[])
ON CONFLICT (reason) DO NOTHING;
