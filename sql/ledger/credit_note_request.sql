-- The credit note of a request, and what was asked for.
-- $1 text request
SELECT n.credit_note_id, n.number, n.invoice_number, n.scope, n.reason, n.ticket, n.note, n.currency, n.minor_units, n.net_minor,
       n.balance_minor > 0, n.refund_minor > 0
  FROM finance.credit_note n WHERE n.request_id = $1::text;
