-- Drafts in the order they get their numbers, with how many lines each has.  (A tenant is a range of names, so that one plan finds one of them or
-- all through the index of drafts.)
-- $1 text period, '' for all
-- $2 text tenant, '' for all
SELECT v.tenant, v.period, v.kind, (SELECT count(*) FROM finance.invoice_line l WHERE l.invoice_id = v.invoice_id)
  FROM finance.invoice v
 WHERE v.status = 'draft' AND ($1::text = '' OR v.period = $1::text) AND v.tenant >= $2::text AND v.tenant <= CASE $2::text WHEN '' THEN chr(1114111) ELSE $2::text END
 ORDER BY v.issuer, v.ends, v.tenant, v.kind DESC;
