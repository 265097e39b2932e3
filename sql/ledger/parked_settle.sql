-- Parks the periods of a list for a reason, and lets go those that are not on it; how many are parked for the reason then.  A person's release
-- counts as long as no more is measured than was released, of an estimate as long as it is of no more; where nothing is measured, for the same error,
-- or for what blocks.
-- $1 text reason
-- $2 text[] tenants
-- $3 text[] periods
-- $4 text[] what is measured; '' for nothing, or not known
-- $5 text[] its currency, or ''
-- $6 text[] details
-- $7 text[] of how many units what is measured is an estimate; '' where it is none
-- $8 timestamptz when
-- $9 text by whom
-- $10 boolean let go what is not on the list
WITH wanted AS (
	SELECT t.tenant, t.period, CASE WHEN bool_and(t.measured <> '') THEN sum(NULLIF(t.measured, '')::numeric) END AS measured,
	       max(t.currency) AS currency, string_agg(DISTINCT t.detail COLLATE "C", '; ' ORDER BY t.detail COLLATE "C") AS detail,
	       sum(NULLIF(t.extent, '')::numeric) AS extent
	  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) AS t (tenant, period, measured, currency, detail, extent)
	 GROUP BY t.tenant, t.period
), parked AS (
	SELECT * FROM finance.parked_now WHERE reason = $1::text
), lifted AS (
	INSERT INTO finance.parked_release (parked_id, by_itself, note, ticket, released_at, released_by)
	SELECT p.parked_id, true, CASE WHEN w.tenant IS NULL THEN 'its cause is gone' ELSE 'it was measured again' END, '', $8::timestamptz, $9::text
	  FROM parked p
	  LEFT JOIN wanted w ON w.tenant = p.tenant AND w.period = p.period
	 WHERE CASE WHEN w.tenant IS NULL
	            THEN $10::boolean AND NOT (p.reason = 'rating_failed' AND EXISTS (
			SELECT FROM finance.rating_due d WHERE d.tenant = p.tenant AND d.period = p.period))
	            ELSE (p.measured, p.extent) IS DISTINCT FROM (w.measured, w.extent) END
	 ORDER BY p.parked_id
	RETURNING parked_id
), added AS (
	INSERT INTO finance.parked (tenant, period, reason, detail, measured, extent, currency, parked_at, parked_by)
	SELECT w.tenant, w.period, $1::text, w.detail, w.measured, w.extent, w.currency, $8::timestamptz, $9::text
	  FROM wanted w
	 WHERE NOT EXISTS (SELECT FROM parked p WHERE p.tenant = w.tenant AND p.period = w.period AND (p.measured, p.extent) IS NOT DISTINCT FROM (w.measured, w.extent))
	   AND NOT EXISTS (
		SELECT FROM finance.parked p JOIN finance.parked_release r USING (parked_id)
		 WHERE p.tenant = w.tenant AND p.period = w.period AND p.reason = $1::text AND NOT r.by_itself
		   AND p.currency = w.currency AND (p.measured IS NULL) = (w.measured IS NULL)
		   AND CASE WHEN p.extent IS NOT NULL AND w.extent IS NOT NULL THEN p.extent >= w.extent
		            WHEN w.measured IS NOT NULL THEN p.measured >= w.measured
		            ELSE p.detail = w.detail OR $1::text IN ('held_above_limit', 'charge_jump', 'reconcile_difference', 'currency_mismatch') END)
	 ORDER BY w.tenant, w.period
	RETURNING parked_id
)
SELECT (SELECT count(*) FROM parked) - (SELECT count(*) FROM lifted) + (SELECT count(*) FROM added);
