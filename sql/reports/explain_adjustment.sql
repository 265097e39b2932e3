-- One adjustment with the two ratings it is between, and the sums that its amounts come from: of both ratings' charges on the same, and of
-- what was booked before it.  The invoice that has the period then is the newest that was final.
-- $1 bigint adjustment
WITH adjustment AS (
	SELECT a.*, COALESCE(m.name, '') AS meter, COALESCE(m.decimals, 0) AS decimals
	  FROM finance.adjustment a LEFT JOIN metering.meter m USING (meter_id) WHERE a.adjustment_id = $1::bigint
), invoice AS (
	SELECT v.invoice_id, v.number, v.issued_on
	  FROM adjustment a JOIN finance.invoice v ON v.tenant = a.tenant AND v.period = a.original_period
	 WHERE v.kind = 'period' AND v.status = 'final' AND v.finalized_at <= a.booked_at
	 ORDER BY v.invoice_id DESC LIMIT 1
), booked AS (
	SELECT l.amount_minor
	  FROM adjustment a CROSS JOIN invoice v JOIN finance.invoice_line l USING (invoice_id)
	 WHERE l.adjustment_id IS NULL AND (l.kind, l.model, l.service_tier, l.meter) = (a.kind, a.model, a.service_tier, a.meter)
	UNION ALL
	SELECT o.amount_minor
	  FROM adjustment a JOIN finance.adjustment o ON o.tenant = a.tenant AND o.original_period = a.original_period AND o.adjustment_id < a.adjustment_id
	 WHERE (o.kind, o.model, o.service_tier, o.meter_id) = (a.kind, a.model, a.service_tier, a.meter_id)
	   AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d JOIN finance.credit_note n USING (credit_note_id)
	                    WHERE d.adjustment_id = o.adjustment_id AND n.issued_at <= a.booked_at)
)
SELECT a.adjustment_id, a.tenant, a.original_period, (SELECT number FROM invoice), (SELECT issued_on FROM invoice), a.kind, a.model, a.service_tier,
       a.meter, a.meter_id, a.currency, trim_scale(a.quantity * 10::numeric ^ -a.decimals), trim_scale(a.exact_amount),
       round(a.amount_minor * 10::numeric ^ -a.minor_units, a.minor_units), 'rerate:' || a.rerate_id, 'adjustment:' || a.reverses, a.reason,
       s.meaning, a.ticket, b.book || ' v' || b.version, a.outcome,
       to_char(a.booked_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), a.booked_by,
       to_char(a.first_interval, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(a.last_interval, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       a.old_rating_id, o.rating_run, o.priced_until, a.new_rating_id, w.rating_run, w.priced_until,
       to_char(p.starts, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(p.ends, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       trim_scale(oldc.amount), trim_scale(newc.amount), trim_scale(newc.amount - oldc.amount),
       round(newc.minor * 10::numeric ^ -a.minor_units, a.minor_units), round(before.minor * 10::numeric ^ -a.minor_units, a.minor_units),
       round((newc.minor - before.minor) * 10::numeric ^ -a.minor_units, a.minor_units),
       a.reverses IS NOT NULL OR (newc.amount - oldc.amount = a.exact_amount AND newc.minor - before.minor = a.amount_minor),
       newc.quantity
  FROM adjustment a
  JOIN finance.rating o ON o.rating_id = a.old_rating_id
  JOIN finance.rating w ON w.rating_id = a.new_rating_id
  JOIN finance.reason s USING (reason)
  LEFT JOIN finance.billing_period p ON p.tenant = a.tenant AND p.period = a.original_period
  LEFT JOIN finance.price_book_version b ON b.price_book_version_id = a.price_book_version_id
 CROSS JOIN LATERAL (SELECT COALESCE(sum(c.amount), 0) AS amount FROM finance.charge c
         WHERE c.rating_id = a.old_rating_id AND (c.kind, c.model, c.service_tier, c.meter_id) = (a.kind, a.model, a.service_tier, a.meter_id)) oldc
 CROSS JOIN LATERAL (SELECT COALESCE(sum(c.amount), 0) AS amount, COALESCE(sum(round(c.amount * 10::numeric ^ a.minor_units)), 0) AS minor,
                            COALESCE(sum(c.quantity), 0) AS quantity FROM finance.charge c
         WHERE c.rating_id = a.new_rating_id AND (c.kind, c.model, c.service_tier, c.meter_id) = (a.kind, a.model, a.service_tier, a.meter_id)) newc
 CROSS JOIN LATERAL (SELECT COALESCE(sum(amount_minor), 0) AS minor FROM booked) before;
