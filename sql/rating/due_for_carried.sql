-- Marks open periods that come after one that is due, where something is carried over: counters that outlive the month, a commitment.
INSERT INTO finance.rating_due (tenant, period)
SELECT DISTINCT r.tenant, r.period
  FROM finance.rating_due d
  JOIN finance.current_rating r ON r.tenant = d.tenant AND r.period > d.period
 WHERE NOT EXISTS (SELECT FROM finance.booked_period b WHERE b.tenant = r.tenant AND b.period = r.period)
   AND NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = r.period AND s.state <> 'open')
   AND (EXISTS (SELECT FROM finance.charge h WHERE h.rating_id = r.rating_id AND h.counter <> '')
    OR EXISTS (SELECT FROM finance.contract c WHERE c.tenant = r.tenant AND position('"commitment":' IN c.terms) > 0))
ON CONFLICT DO NOTHING;
