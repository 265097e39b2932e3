-- What a run made that a re-rate did not plan, and what it planned that the run did not make: another result, a period opened or closed
-- since, another invoice.
-- $1 bigint re-rate
-- $2 bigint run
SELECT COALESCE(i.tenant, r.tenant), COALESCE(i.period, r.period)
  FROM (SELECT * FROM finance.rerate_item WHERE rerate_id = $1::bigint) i
  FULL JOIN (SELECT g.tenant, g.period, g.output_digest, v.number, b.tenant IS NOT NULL OR finance.period_is_closed(g.period) AS closed
               FROM finance.rating g
               LEFT JOIN finance.booked_period b ON b.tenant = g.tenant AND b.period = g.period
               LEFT JOIN finance.invoiced_period c ON c.tenant = g.tenant AND c.period = g.period
               LEFT JOIN finance.invoice v ON v.invoice_id = c.invoice_id
              WHERE g.rating_run = $2::bigint) r ON r.tenant = i.tenant AND r.period = i.period
 WHERE i.tenant IS NULL OR r.tenant IS NULL OR r.output_digest <> i.output_digest OR r.closed <> i.closed
    OR COALESCE(r.number, '') <> CASE i.document WHEN 'draft' THEN '' ELSE i.document END
 ORDER BY 1, 2;
