-- One line of an invoice with everything it was made from, and the quantity of all charges and holds on the same usage.
-- $1 text invoice number, or tenant:period
-- $2 integer line
SELECT v.invoice_id, v.rating_id, v.tenant, v.period, l.model, l.service_tier, l.meter, m.meter_id, l.priced_as, l.tier,
       trim_scale(l.price), l.per, l.quantity, trim_scale(l.exact_amount), l.amount_minor, v.minor_units, v.currency, l.book, l.book_version,
       to_char(b.effective, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), l.rule, (b.document::jsonb -> 'rules' -> (l.rule - 1))::text,
       to_char(v.starts, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(v.ends, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), r.priced_until,
       (SELECT COALESCE(sum(quantity), 0) FROM finance.charge h WHERE h.rating_id = v.rating_id AND h.model = l.model
           AND h.service_tier = l.service_tier AND h.meter_id = m.meter_id)
     + (SELECT COALESCE(sum(quantity), 0) FROM finance.hold h WHERE h.rating_id = v.rating_id AND h.model = l.model
           AND h.service_tier = l.service_tier AND h.meter_id = m.meter_id)
  FROM finance.invoice v
  JOIN finance.invoice_line l USING (invoice_id)
  JOIN finance.rating r USING (rating_id)
  JOIN metering.meter m ON m.name = l.meter
  JOIN finance.price_book_version b ON b.book = l.book AND b.version = l.book_version
 WHERE (v.number = $1::text OR v.tenant || ':' || v.period = $1::text) AND l.line = $2::integer;
