-- The sum of a currency's invoice lines in money.
-- $1 text  period, YYYY-MM
-- $2 text  tenant, '' for all
-- $3 text  currency
SELECT trim_scale(coalesce(sum(l.amount_minor * power(10::numeric, -i.minor_units)), 0))::text
  FROM finance.invoice i JOIN finance.invoice_line l USING (invoice_id)
 WHERE i.period = $1::text AND $2::text IN ('', i.tenant) AND i.currency = $3::text;
