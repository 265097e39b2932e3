-- Ratings in force that an invoice can be drafted from, with what stands in its way; also those that have a draft and no usage any more.
-- $1 text period, '' for all
-- $2 text tenant, '' for all
-- $3 timestamptz only those that have ended by then and, but for a draft to be thrown away, are not invoiced; NULL for all
SELECT r.tenant, r.period, r.rating_id, i.invoice_id IS NOT NULL,
       EXISTS (SELECT FROM finance.period_state s WHERE s.period = r.period AND s.state = 'hard'),
       EXISTS (SELECT FROM finance.adjustment a
                WHERE a.tenant = r.tenant AND a.original_period = r.period
                  AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id)
               HAVING sum(a.exact_amount) <> 0 OR sum(a.amount_minor) <> 0),
       c.currency,
       (SELECT count(*) FROM finance.charge h WHERE h.rating_id = r.rating_id AND h.currency <> c.currency),
       (SELECT count(*) FROM finance.charge h WHERE h.rating_id = r.rating_id AND h.price <> 0),
       c.issuer, c.tax_name, c.tax_percent
  FROM finance.current_rating r
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
  LEFT JOIN finance.invoiced_period i ON i.tenant = r.tenant AND i.period = r.period
  LEFT JOIN LATERAL (SELECT currency, issuer, tax_name, tax_percent FROM finance.contract
                      WHERE tenant = r.tenant AND effective < p.ends ORDER BY effective DESC LIMIT 1) c ON true
 WHERE ($1::text = '' OR r.period = $1::text) AND ($2::text = '' OR r.tenant = $2::text)
   AND (EXISTS (SELECT FROM finance.invoice v WHERE v.tenant = r.tenant AND v.period = r.period AND v.kind = 'period' AND v.status = 'draft')
    OR EXISTS (SELECT FROM finance.charge h WHERE h.rating_id = r.rating_id AND h.price <> 0
            UNION ALL SELECT FROM finance.hold h WHERE h.rating_id = r.rating_id))
   AND ($3::timestamptz IS NULL
    OR (p.ends <= $3::timestamptz
        AND (i.invoice_id IS NULL OR EXISTS (
		SELECT FROM finance.invoice v WHERE v.tenant = r.tenant AND v.period = r.period AND v.kind = 'period' AND v.status = 'draft'))))
 ORDER BY r.period, r.tenant;
