-- Ratings in force that an invoice can be drafted from, with what stands in its way; also those that have a draft and no usage any more.
-- $1 text period, '' for all
-- $2 text tenant, '' for all
SELECT r.tenant, r.period, r.rating_id, v.status, c.currency,
       (SELECT count(*) FROM finance.charge h WHERE h.rating_id = r.rating_id AND h.currency <> c.currency),
       (SELECT count(*) FROM finance.charge h WHERE h.rating_id = r.rating_id AND h.price <> 0)
  FROM finance.current_rating r
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
  LEFT JOIN finance.invoice v ON v.tenant = r.tenant AND v.period = r.period
  LEFT JOIN LATERAL (SELECT currency FROM finance.contract WHERE tenant = r.tenant AND effective < p.ends ORDER BY effective DESC LIMIT 1) c ON true
 WHERE ($1::text = '' OR r.period = $1::text) AND ($2::text = '' OR r.tenant = $2::text)
   AND (v.status = 'draft'
    OR EXISTS (SELECT FROM finance.charge h WHERE h.rating_id = r.rating_id AND h.price <> 0
            UNION ALL SELECT FROM finance.hold h WHERE h.rating_id = r.rating_id))
 ORDER BY r.period, r.tenant;
