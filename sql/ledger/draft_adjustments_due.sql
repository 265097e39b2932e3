-- Tenants whose waiting adjustments need an invoice of their own: no rated period with lines, and with the issuer and tax of their own
-- periods, will take them, and their contract ended or the period ended in which the first of them was booked.  Of several currencies, issuers
-- and taxes one at a time, one with something to pay first.
-- $1 text period (the one that it is now for the tenant), '' for all
-- $2 text tenant, '' for all
-- $3 timestamptz now
SELECT DISTINCT ON (x.tenant) x.tenant, x.period, x.contract_id, x.currency, x.owed, x.issuer, x.tax_name, x.tax_percent
  FROM (SELECT w.tenant, to_char(finance.period_month($3::timestamptz, c.anchor, c.zone), 'YYYY-MM') AS period, c.contract_id, w.currency,
               bool_or(w.amount_minor > 0) AS owed, c.issuer, c.tax_name, c.tax_percent
          FROM finance.adjustment_waiting w
          JOIN finance.period_party o ON o.tenant = w.tenant AND o.period = w.original_period
         CROSS JOIN LATERAL (SELECT * FROM finance.contract
                              WHERE tenant = w.tenant AND currency = w.currency AND effective <= $3::timestamptz
                                AND issuer = o.issuer AND tax_name = o.tax_name AND tax_percent = o.tax_percent
                              ORDER BY effective DESC LIMIT 1) c
         WHERE ($2::text = '' OR w.tenant = $2::text)
           AND NOT EXISTS (SELECT FROM finance.invoice_line l JOIN finance.invoice v USING (invoice_id)
                            WHERE l.adjustment_id = w.adjustment_id AND v.status = 'draft')
           AND NOT EXISTS (SELECT FROM finance.current_rating r
                             JOIN finance.billing_period b ON b.tenant = r.tenant AND b.period = r.period
                            CROSS JOIN LATERAL (SELECT issuer, tax_name, tax_percent FROM finance.contract
                                                 WHERE tenant = r.tenant AND effective < b.ends ORDER BY effective DESC LIMIT 1) t
                            WHERE r.tenant = w.tenant AND t.issuer = c.issuer AND t.tax_name = c.tax_name AND t.tax_percent = c.tax_percent
                              AND NOT EXISTS (SELECT FROM finance.booked_period i WHERE i.tenant = r.tenant AND i.period = r.period)
                              AND NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = r.period AND s.state = 'hard')
                              AND EXISTS (SELECT FROM finance.charge h WHERE h.rating_id = r.rating_id AND h.price <> 0))
         GROUP BY w.tenant, c.zone, c.anchor, c.contract_id, w.currency, c.issuer, c.tax_name, c.tax_percent
        HAVING COALESCE((SELECT until FROM finance.contract WHERE tenant = w.tenant ORDER BY effective DESC LIMIT 1) <= $3::timestamptz, false)
            OR finance.period_month(min(w.booked_at), c.anchor, c.zone) < finance.period_month($3::timestamptz, c.anchor, c.zone)) x
 WHERE $1::text = '' OR x.period = $1::text
 ORDER BY x.tenant, x.owed DESC, x.currency;
