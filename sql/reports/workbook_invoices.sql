-- A page of the invoices of a period, drafts too, by tenant and invoice: one, or more where one was credited in full or is of adjustments.
-- $1 text     period, YYYY-MM
-- $2 text     tenant, '' for all
-- $3 text     tenant of the last row seen
-- $4 bigint   invoice of the last row seen
-- $5 integer  rows at most
SELECT i.tenant, i.invoice_id, coalesce(i.number, 'draft'), coalesce(s.standing, 'draft'), i.kind, i.tenant_name, i.issuer, i.issuer_name,
       i.period, i.zone, (extract(epoch FROM i.starts) * 1000000)::bigint, (extract(epoch FROM i.ends) * 1000000)::bigint,
       (SELECT count(*) FROM finance.invoice_line l WHERE l.invoice_id = i.invoice_id),
       trim_scale(i.net_minor * u.unit)::text, trim_scale(i.credits_minor * u.unit)::text,
       i.tax_name || CASE WHEN i.tax_percent <> 0 THEN ' ' || trim_scale(i.tax_percent) || ' %' ELSE '' END,
       trim_scale(i.tax_minor * u.unit)::text, trim_scale(i.total_minor * u.unit)::text, i.currency,
       trim_scale(s.credited_minor * u.unit)::text, trim_scale(s.paid_minor * u.unit)::text, trim_scale(s.due_minor * u.unit)::text,
       (extract(epoch FROM i.issued_on) * 1000000)::bigint, trim_scale(i.exact_total)::text
  FROM finance.invoice i
 CROSS JOIN LATERAL (SELECT power(10::numeric, -i.minor_units) AS unit) u
  LEFT JOIN finance.invoice_standing s USING (invoice_id)
 WHERE i.period = $1::text AND $2::text IN ('', i.tenant)
   AND (i.tenant > $3::text OR (i.tenant = $3::text AND i.invoice_id > $4::bigint))
 ORDER BY i.tenant, i.invoice_id
 LIMIT $5::integer;
