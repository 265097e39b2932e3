-- Marks periods not invoiced yet whose prices or contract are newer than their rating.
INSERT INTO finance.rating_due (tenant, period)
SELECT r.tenant, r.period
  FROM finance.current_rating r
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
 WHERE NOT EXISTS (SELECT FROM finance.invoice v WHERE v.tenant = r.tenant AND v.period = r.period AND v.status = 'final')
   AND (EXISTS (SELECT FROM finance.contract c WHERE c.tenant = r.tenant AND c.contract_id > r.contracted_with AND c.effective < p.ends)
    OR EXISTS (SELECT FROM finance.price_book_version v JOIN finance.contract c ON v.book IN (c.book, c.override) AND c.tenant = r.tenant
                WHERE v.price_book_version_id > r.priced_with AND v.effective < p.ends))
ON CONFLICT DO NOTHING;
