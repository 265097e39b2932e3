-- each credit begins with what was granted, goes on from balance to balance, and never lies outside of what was granted
SELECT g.grant_id AS credit, g.tenant, e.place, e.kind, e.before AS balance_was, e.balance_before, e.amount_minor AS amount, e.balance_after
  FROM (SELECT *, COALESCE(lag(balance_after) OVER w, 0) AS before, lag(place) OVER w AS place_before
          FROM finance.credit_entry WINDOW w AS (PARTITION BY grant_id ORDER BY place)) e
  JOIN finance.credit_grant g USING (grant_id)
 WHERE e.balance_before <> e.before OR e.balance_after <> e.balance_before + e.amount_minor OR e.place <> COALESCE(e.place_before, 0) + 1
    OR e.balance_after NOT BETWEEN 0 AND g.amount_minor OR (e.kind = 'grant') <> (e.place = 1) OR (e.place = 1 AND e.amount_minor <> g.amount_minor)
UNION ALL
SELECT g.grant_id, g.tenant, NULL, 'has no entry', NULL, NULL, g.amount_minor, NULL
  FROM finance.credit_grant g
 WHERE NOT EXISTS (SELECT FROM finance.credit_entry e WHERE e.grant_id = g.grant_id);
