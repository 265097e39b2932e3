-- Makes an issuer, or gives it its new name (a row, then); final invoices keep the name they were issued with.
-- $1 text code
-- $2 text name
INSERT INTO finance.issuer (issuer, name) VALUES ($1::text, $2::text)
ON CONFLICT (issuer) DO UPDATE SET name = excluded.name WHERE issuer.name <> excluded.name
RETURNING issuer;
