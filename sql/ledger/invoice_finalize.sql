-- Makes drafts final, with what finalizing found out: the credits drawn, and the tax on what they leave.
-- (One that is final already is refused by its trigger; with a condition here, statistics from before there were drafts lead to plans that
-- read all invoices for each.)
-- $1 bigint[] invoices
-- $2 text[] numbers
-- $3 bigint[] their places in the series
-- $4 bigint[] credits in minor units
-- $5 bigint[] tax
-- $6 bigint[] totals
-- $7 bytea[] digests of their content
-- $8 date of issue
-- $9 timestamptz when
-- $10 text by whom
UPDATE finance.invoice v
   SET status = 'final', number = n.number, series_number = n.series_number, series_year = extract(year FROM $8::date)::integer,
       issued_on = $8::date, credits_minor = n.credits_minor, tax_minor = n.tax_minor, total_minor = n.total_minor,
       finalized_at = $9::timestamptz, finalized_by = $10::text, content_digest = n.content_digest
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[])
       AS n (invoice_id, number, series_number, credits_minor, tax_minor, total_minor, content_digest)
 WHERE v.invoice_id = n.invoice_id;
