-- Marks open periods whose prices or contract are newer than their rating, and those that were closed and are not any more.  A later
-- contract may let go of aborted usage that an earlier one holds.
INSERT INTO finance.rating_due (tenant, period)
SELECT r.tenant, r.period
  FROM finance.current_rating r
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
 WHERE NOT EXISTS (SELECT FROM finance.booked_period b WHERE b.tenant = r.tenant AND b.period = r.period)
   AND NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = r.period AND s.state <> 'open')
   AND (r.priced_until < r.summed_until
    OR EXISTS (SELECT FROM finance.contract c WHERE c.tenant = r.tenant AND c.contract_id > r.contracted_with
                  AND (c.effective < p.ends
                       OR EXISTS (SELECT FROM finance.hold h WHERE h.rating_id = r.rating_id AND h.reason = 'aborted_usage')))
    OR EXISTS (SELECT FROM finance.price_book_version v JOIN finance.contract c ON v.book IN (c.book, c.override) AND c.tenant = r.tenant
                WHERE v.price_book_version_id > r.priced_with AND v.effective < p.ends))
ON CONFLICT DO NOTHING;
