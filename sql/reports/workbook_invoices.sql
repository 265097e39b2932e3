-- A page of the invoices of a period, drafts too, by tenant; a tenant has one.
-- $1 text     period, YYYY-MM
-- $2 text     tenant, '' for all
-- $3 text     tenant of the last row seen
-- $4 integer  not used: every page has the same parameters
-- $5 integer  rows at most
SELECT i.tenant, 0, coalesce(i.number, 'draft'), i.status, i.tenant_name, i.issuer, i.issuer_name, i.period, i.zone,
       (extract(epoch FROM i.starts) * 1000000)::bigint, (extract(epoch FROM i.ends) * 1000000)::bigint,
       (SELECT count(*) FROM finance.invoice_line l WHERE l.invoice_id = i.invoice_id),
       trim_scale(i.total_minor * power(10::numeric, -i.minor_units))::text, i.currency,
       (extract(epoch FROM i.issued_on) * 1000000)::bigint, trim_scale(i.exact_total)::text
  FROM finance.invoice i
 WHERE i.period = $1::text AND $2::text IN ('', i.tenant) AND i.tenant > $3::text AND $4::integer IS NOT NULL
 ORDER BY i.tenant
 LIMIT $5::integer;
