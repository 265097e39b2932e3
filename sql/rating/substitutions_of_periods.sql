-- Which versions of price books stand in for those in force in a period of tenants, tenant by tenant: of each book and model the newest.
-- $1 text[] tenants
-- $2 text period
-- $3 bigint the newest substitution that counts
SELECT DISTINCT ON (p.place, v.book, s.model) p.place, s.substitution_id, s.model, v.book, v.price_book_version_id
  FROM unnest($1::text[]) WITH ORDINALITY AS p (tenant, place)
  JOIN finance.price_substitution s ON s.tenant = p.tenant AND s.period = $2::text AND s.substitution_id <= $3::bigint
  JOIN finance.price_book_version v USING (price_book_version_id)
 ORDER BY p.place, v.book, s.model, s.substitution_id DESC;
