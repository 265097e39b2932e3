-- Re-rates, the newest last, with how they stand and what they come to in each currency.
-- $1 text period, '' for all
-- $2 text tenant, '' for all
SELECT r.rerate_id,
       CASE WHEN bool_or(d.decision = 'applied') THEN 'applied' WHEN bool_or(d.decision = 'rejected') THEN 'rejected'
            WHEN bool_or(d.decision = 'approved') THEN 'approved' ELSE 'planned' END,
       r.period, r.tenant, r.model, COALESCE(b.book || '@' || b.version, ''), i.currency, finance.amount_shown(i.difference, i.minor_units), i.closed, r.reason, r.ticket,
       CASE WHEN r.second_person THEN 'yes' ELSE 'no' END, r.planned_by,
       COALESCE(max(d.who) FILTER (WHERE d.decision = 'approved'), ''), COALESCE(max(d.who) FILTER (WHERE d.decision = 'applied'), '')
  FROM finance.rerate r
  LEFT JOIN finance.price_book_version b USING (price_book_version_id)
  LEFT JOIN (SELECT rerate_id, currency, minor_units, sum(new_amount - old_amount) AS difference, count(*) FILTER (WHERE closed) AS closed
               FROM finance.rerate_item WHERE currency <> '' GROUP BY rerate_id, currency, minor_units) i USING (rerate_id)
  LEFT JOIN finance.rerate_decision d USING (rerate_id)
 WHERE ($1::text = '' OR r.period = $1::text) AND ($2::text = '' OR r.tenant IN ('', $2::text))
 GROUP BY r.rerate_id, b.book, b.version, i.currency, i.minor_units, i.difference, i.closed
 ORDER BY r.rerate_id, i.currency;
