-- These drafts, as far as they are still there, with their places in the list and what stands in the way of finalizing them.  Where something
-- is carried over from earlier periods (a counter that outlives the month, a commitment), what changes those changes this one.
-- (OFFSET 0: each is looked up, whatever statistics from before there were drafts say.)
-- $1 text[] periods
-- $2 text[] tenants
-- $3 timestamptz now
-- $4 text[] kinds
-- $5 text by whom
-- $6 integer only those whose grace is over: hours where a contract states none; NULL for all.  Adjustments wait for it from the beginning
--    of the period that they could first be drafted in (draft_adjustments_due.sql), however often they were drafted since.
SELECT k.place, v.invoice_id, v.tenant, v.period, v.issuer, v.kind, v.currency, v.minor_units, v.net_minor, v.tax_percent,
       v.kind = 'adjustment' OR v.ends <= $3::timestamptz,
       v.kind = 'adjustment' OR EXISTS (SELECT FROM finance.rating_in_force f
                WHERE f.tenant = v.tenant AND f.period = v.period AND f.rating_id = v.rating_id),
       EXISTS (SELECT FROM finance.invoice_line l
                WHERE l.invoice_id = v.invoice_id AND l.adjustment_id IS NOT NULL
                  AND NOT EXISTS (SELECT FROM finance.adjustment_waiting w WHERE w.adjustment_id = l.adjustment_id)),
       v.kind = 'period' AND EXISTS (SELECT FROM finance.invoiced_period i WHERE i.tenant = v.tenant AND i.period = v.period),
       v.kind = 'period' AND EXISTS (SELECT FROM finance.period_state s
                WHERE s.period = v.period AND s.state <> 'open'
                  AND NOT (s.state = 'soft' AND EXISTS (SELECT FROM finance.role_member m WHERE m.who = $5::text AND m.role = 'finance'))),
       v.kind = 'period' AND
       (EXISTS (SELECT FROM finance.rating_due d WHERE d.tenant = v.tenant AND (d.period = v.period OR (y.carries AND d.period < v.period)))
       OR EXISTS (SELECT FROM finance.contract c WHERE c.tenant = v.tenant AND c.contract_id > r.contracted_with AND c.effective < v.ends)
       OR EXISTS (SELECT FROM finance.price_substitution s
                   WHERE s.tenant = v.tenant AND s.period = v.period AND s.substitution_id > r.substituted_with)
       OR EXISTS (SELECT FROM finance.price_book_version b JOIN finance.contract c ON b.book IN (c.book, c.override) AND c.tenant = v.tenant
                   WHERE b.price_book_version_id > r.priced_with AND b.effective < v.ends)),
       v.kind = 'period' AND
       EXISTS (SELECT FROM metering.ingest_batch b
                WHERE b.first_event_time < v.ends AND (y.carries OR b.last_event_time >= v.starts)
                  AND NOT EXISTS (SELECT FROM metering.summed_batch s WHERE s.batch_id = b.batch_id)),
       v.net_minor < 0 OR COALESCE((SELECT sum(l.exact_amount) FROM finance.invoice_line l
                                     WHERE l.invoice_id = v.invoice_id AND l.adjustment_id IS NULL), 0) < 0,
       v.kind = 'period' AND y.carries AND EXISTS (SELECT FROM finance.invoice e
                WHERE e.tenant = v.tenant AND e.period < v.period AND e.kind = 'period' AND e.status = 'draft'),
       CASE WHEN v.kind = 'period' THEN (SELECT string_agg(DISTINCT k.reason, ', ' ORDER BY k.reason) FROM finance.parked_now k
                                          WHERE k.tenant = v.tenant AND k.period = v.period AND k.blocks) END
  FROM unnest($1::text[], $2::text[], $4::text[]) WITH ORDINALITY AS k (period, tenant, kind, place)
 CROSS JOIN LATERAL (
	SELECT * FROM finance.invoice i
	 WHERE i.status = 'draft' AND i.tenant = k.tenant AND i.period = k.period AND i.kind = k.kind OFFSET 0) v
  LEFT JOIN finance.rating r USING (rating_id)
 CROSS JOIN LATERAL (
	SELECT EXISTS (SELECT FROM finance.charge h WHERE h.rating_id = v.rating_id AND h.counter <> '')
	    OR EXISTS (SELECT FROM finance.contract c WHERE c.tenant = v.tenant AND position('"commitment"' IN c.terms) > 0) AS carries) y
 WHERE ($6::integer IS NULL
    OR CASE v.kind WHEN 'period' THEN v.ends ELSE (
		SELECT finance.period_begin(finance.period_month(LEAST(
		               finance.period_begin(finance.period_month(b.booked, c.anchor, c.zone) + interval '1 month', c.anchor, c.zone),
		               GREATEST(b.booked, COALESCE(c.until, 'infinity'))), c.anchor, c.zone), c.anchor, c.zone)
		  FROM (SELECT min(a.booked_at) AS booked
		          FROM finance.invoice_line l JOIN finance.adjustment a USING (adjustment_id) WHERE l.invoice_id = v.invoice_id) b
		 CROSS JOIN (SELECT anchor, zone, until FROM finance.contract WHERE tenant = v.tenant ORDER BY effective DESC LIMIT 1) c) END + interval '1 hour' * COALESCE((
		SELECT c.grace_hours FROM finance.contract c WHERE c.tenant = v.tenant AND c.effective < v.ends ORDER BY c.effective DESC LIMIT 1),
		$6::integer) <= $3::timestamptz)
 ORDER BY k.place;
