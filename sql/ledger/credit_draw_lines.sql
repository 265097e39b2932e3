-- The lines of invoices, in the order of the list, and when what they charge was used: up to the end of the last quarter of an hour.  A contract's own charges state
-- their end itself.
-- $1 bigint[] invoices
SELECT o.place, l.line, l.model, COALESCE(m.meter_id, 0), l.amount_minor, (extract(epoch FROM COALESCE(a.first_interval, h.first_interval)) * 1000000)::bigint,
       (extract(epoch FROM COALESCE(a.last_interval, h.last_interval)) * 1000000)::bigint
  FROM unnest($1::bigint[]) WITH ORDINALITY AS o (invoice_id, place)
  JOIN finance.invoice v ON v.invoice_id = o.invoice_id
  JOIN finance.invoice_line l ON l.invoice_id = o.invoice_id
  LEFT JOIN metering.meter m ON m.name = l.meter
  LEFT JOIN finance.adjustment a ON a.adjustment_id = l.adjustment_id
  LEFT JOIN finance.charge h ON l.adjustment_id IS NULL AND h.rating_id = v.rating_id AND h.ordinal = l.charge_ordinal
 ORDER BY o.place, l.line;
