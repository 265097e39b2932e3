-- A credit note: what it says, what it credits, and how its tax comes about.
-- $1 text number
SELECT n.credit_note_id, n.number, n.scope, n.issuer, n.issuer_name, n.tenant, n.tenant_name, n.invoice_number, n.invoice_date, v.period, v.kind,
       n.currency, round(n.net_minor * u.unit, n.minor_units), round(n.credits_minor * u.unit, n.minor_units), n.tax_name, trim_scale(n.tax_percent),
       round(n.tax_minor * u.unit, n.minor_units), round(n.total_minor * u.unit, n.minor_units), round(n.balance_minor * u.unit, n.minor_units),
       round(n.refund_minor * u.unit, n.minor_units), n.reason, r.meaning, n.ticket, n.note, n.issued_on, n.issued_by,
       round(v.total_minor * u.unit, n.minor_units), round(o.before_minor * u.unit, n.minor_units),
       '(' || round(n.net_minor * u.unit, n.minor_units) || ' - ' || round(n.credits_minor * u.unit, n.minor_units) || ') x ' || trim_scale(n.tax_percent)
    || ' % = ' || trim_scale((n.net_minor - n.credits_minor) * u.unit * n.tax_percent / 100)
    || CASE WHEN round((n.net_minor - n.credits_minor) * n.tax_percent / 100) = n.tax_minor THEN ', rounded half away from zero: '
            ELSE '; what remains of the tax of the invoice: ' END || round(n.tax_minor * u.unit, n.minor_units),
       (SELECT sum(l.amount_minor) = n.net_minor AND sum(l.credits_minor) = n.credits_minor FROM finance.credit_note_line l
         WHERE l.credit_note_id = n.credit_note_id)
  FROM finance.credit_note n
  JOIN finance.invoice v USING (invoice_id)
  JOIN finance.reason r USING (reason)
 CROSS JOIN LATERAL (SELECT 10::numeric ^ -n.minor_units AS unit) u
 CROSS JOIN LATERAL (SELECT COALESCE(sum(total_minor), 0) AS before_minor FROM finance.credit_note b
                      WHERE b.invoice_id = n.invoice_id AND b.credit_note_id < n.credit_note_id) o
 WHERE n.number = $1::text;
