-- Is there such an issuer?
-- $1 text code
SELECT EXISTS (SELECT FROM finance.issuer WHERE issuer = $1::text);
