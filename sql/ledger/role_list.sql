-- Roles, their members, and a row for each of their limits; a role without limits has one row without a currency.
SELECT r.role, r.unlimited,
       COALESCE((SELECT string_agg(m.who, ', ' ORDER BY m.who) FROM finance.role_member m WHERE m.role = r.role), ''),
       l.currency, l.per_grant_minor, l.per_day_minor
  FROM finance.role r
  LEFT JOIN finance.role_limit l USING (role)
 ORDER BY r.role, l.currency;
