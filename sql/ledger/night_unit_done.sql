-- Marks units as done; one that is done stays.
-- $1 bigint night run
-- $2 text step
-- $3 text[] units
-- $4 text[] results, JSON
-- $5 text[] digests in hex, '' where there is none
INSERT INTO finance.night_unit AS u (night_run, step, unit, plan, is_done, result, digest)
SELECT $1::bigint, $2::text, d.unit, '', true, d.result, decode(NULLIF(d.digest, ''), 'hex')
  FROM unnest($3::text[], $4::text[], $5::text[]) AS d (unit, result, digest)
ON CONFLICT (night_run, step, unit) DO UPDATE SET is_done = true, result = excluded.result, digest = excluded.digest WHERE NOT u.is_done;
