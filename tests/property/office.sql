-- 3: what an invoiced month comes to now, charge by charge rounded, is what its invoice and its adjustments say
SELECT c.tenant, c.period, r.minor AS rated, l.minor + a.minor AS booked, r.exact, l.exact + a.exact
  FROM finance.invoiced_period c
  JOIN finance.rating_in_force f USING (tenant, period)
  JOIN finance.invoice v USING (invoice_id)
 CROSS JOIN LATERAL (SELECT COALESCE(sum(round(h.amount * 10::numeric ^ v.minor_units)), 0) AS minor, COALESCE(sum(h.amount), 0) AS exact
                       FROM finance.charge h WHERE h.rating_id = f.rating_id) r
 CROSS JOIN LATERAL (SELECT COALESCE(sum(amount_minor), 0) AS minor, COALESCE(sum(exact_amount), 0) AS exact
                       FROM finance.invoice_line l WHERE l.invoice_id = c.invoice_id AND l.adjustment_id IS NULL) l
 CROSS JOIN LATERAL (SELECT COALESCE(sum(amount_minor), 0) AS minor, COALESCE(sum(exact_amount), 0) AS exact FROM finance.adjustment x
                      WHERE x.tenant = c.tenant AND x.original_period = c.period
                        AND x.adjustment_id NOT IN (SELECT adjustment_id FROM finance.adjustment_dropped)) a
 WHERE r.minor <> l.minor + a.minor OR r.exact <> l.exact + a.exact;
-- 3: no month is on two invoices that stand, and each that stands has its month
SELECT tenant, period, count(*)
  FROM finance.invoice v
 WHERE status = 'final' AND kind = 'period' AND invoice_id NOT IN (SELECT invoice_id FROM finance.credit_note WHERE scope = 'full')
 GROUP BY tenant, period
HAVING count(*) <> 1 OR NOT EXISTS (SELECT FROM finance.invoiced_period c WHERE c.tenant = v.tenant AND c.period = v.period);
-- 3: an adjustment is settled at most once, and never both waived and billed
SELECT adjustment_id, count(*) FROM (
	SELECT l.adjustment_id FROM finance.invoice_line l JOIN finance.invoice v USING (invoice_id)
	 WHERE l.adjustment_id IS NOT NULL AND v.status = 'final' AND v.invoice_id NOT IN (SELECT invoice_id FROM finance.credit_note WHERE scope = 'full')
	UNION ALL SELECT adjustment_id FROM finance.credit_note_line WHERE adjustment_id IS NOT NULL
	UNION ALL SELECT adjustment_id FROM finance.adjustment WHERE outcome = 'waived') x
 GROUP BY adjustment_id HAVING count(*) > 1;
-- 3: nothing is waived that is owed to the customer: what goes down is set against what was waived of the month before, never more
SELECT tenant, original_period, sum(amount_minor) FROM finance.adjustment WHERE outcome = 'waived' GROUP BY 1, 2 HAVING sum(amount_minor) < 0;
-- 4: an invoice is lines - credits + tax on what is left, and is not below nothing
SELECT v.invoice_id, v.number, v.total_minor, l.net, u.used, v.tax_minor
  FROM finance.invoice v
 CROSS JOIN LATERAL (SELECT COALESCE(sum(amount_minor), 0) AS net FROM finance.invoice_line l WHERE l.invoice_id = v.invoice_id) l
 CROSS JOIN LATERAL (SELECT COALESCE(-sum(amount_minor), 0) AS used FROM finance.credit_entry e WHERE e.invoice_id = v.invoice_id) u
 WHERE v.total_minor <> l.net - u.used + v.tax_minor OR v.tax_minor <> round((l.net - u.used) * v.tax_percent / 100)
    OR v.credits_minor <> u.used OR (v.status = 'final' AND v.total_minor < 0);
-- 4: credit notes come to the invoice at most, as a whole and line by line, and a full one to all of it
SELECT v.number, v.total_minor, n.total, v.tax_minor, n.tax
  FROM finance.invoice v
  JOIN (SELECT invoice_id, sum(total_minor) AS total, sum(tax_minor) AS tax, sum(credits_minor) AS credits, bool_or(scope = 'full') AS whole
          FROM finance.credit_note GROUP BY invoice_id) n USING (invoice_id)
 WHERE n.total > v.total_minor OR n.tax > v.tax_minor OR n.credits > v.credits_minor
    OR (n.whole AND (n.total <> v.total_minor OR n.tax <> v.tax_minor OR n.credits <> v.credits_minor));
SELECT v.number, l.line, l.amount_minor, sum(n.amount_minor)
  FROM finance.credit_note_line n
  JOIN finance.invoice_line l USING (invoice_id, line)
  JOIN finance.invoice v USING (invoice_id)
 GROUP BY v.number, l.line, l.amount_minor
HAVING abs(sum(n.amount_minor)) > abs(l.amount_minor) OR sum(n.amount_minor) * l.amount_minor < 0;
-- 4: the lines of a credit note are its net, and what they had from credits is given back
SELECT n.number, n.net_minor, n.credits_minor
  FROM finance.credit_note n
 WHERE n.net_minor <> (SELECT sum(amount_minor) FROM finance.credit_note_line l WHERE l.credit_note_id = n.credit_note_id)
    OR n.credits_minor <> (SELECT sum(credits_minor) FROM finance.credit_note_line l WHERE l.credit_note_id = n.credit_note_id)
    OR n.credits_minor <> (SELECT COALESCE(sum(amount_minor), 0) FROM finance.credit_entry e WHERE e.credit_note_id = n.credit_note_id);
-- 5: the balance of a grant is what was granted less what was used, given back, revoked and has expired, and was never below nothing
SELECT g.grant_id, g.amount_minor, x.sum, x.last
  FROM finance.credit_grant g
  LEFT JOIN (SELECT grant_id, sum(amount_minor) AS sum, (array_agg(balance_after ORDER BY place DESC))[1] AS last, min(balance_after) AS least,
                    (array_agg(amount_minor ORDER BY place))[1] AS granted, count(*) AS entries, max(place) AS places,
                    -COALESCE(sum(amount_minor) FILTER (WHERE kind = 'use'), 0) AS used, COALESCE(sum(amount_minor) FILTER (WHERE kind = 'restore'), 0) AS restored
               FROM finance.credit_entry GROUP BY grant_id) x USING (grant_id)
 WHERE x.sum IS DISTINCT FROM x.last OR x.least < 0 OR x.granted IS DISTINCT FROM g.amount_minor OR x.entries <> x.places OR x.restored > x.used;
-- 5: nothing is paid that was used before the grant began or after it ended
SELECT e.entry_id, g.starts, g.expires, v.number
  FROM finance.credit_entry e
  JOIN finance.credit_grant g USING (grant_id)
  JOIN finance.invoice v USING (invoice_id)
 WHERE g.tenant <> v.tenant OR g.currency <> v.currency OR NOT EXISTS (
	SELECT FROM finance.credit_use_line u
	  JOIN finance.invoice_line l USING (invoice_id, line)
	  LEFT JOIN finance.adjustment a USING (adjustment_id)
	  LEFT JOIN finance.charge h ON h.rating_id = v.rating_id AND h.ordinal = l.charge_ordinal
	 WHERE u.entry_id = e.entry_id AND COALESCE(a.last_interval, h.last_interval) + interval '15 minutes' > g.starts
	   AND (g.expires IS NULL OR COALESCE(a.first_interval, h.first_interval) < g.expires));
-- 5: a line is not paid by credits beyond what it is
SELECT v.number, l.line, l.amount_minor, sum(u.amount_minor)
  FROM finance.credit_use_line u
  JOIN finance.invoice_line l USING (invoice_id, line)
  JOIN finance.invoice v USING (invoice_id)
 GROUP BY v.number, l.line, l.amount_minor HAVING sum(u.amount_minor) > l.amount_minor;
-- 5: what credits paid of the invoice of a month and have not back is no more than what it says now: the month's lines and adjustments, and lines of other
-- months' (of one that is written off nothing is given back)
SELECT c.tenant, c.period, v.number, u.used, GREATEST(b.booked, 0) AS booked
  FROM finance.invoiced_period c
  JOIN finance.invoice v USING (invoice_id)
 CROSS JOIN LATERAL (SELECT COALESCE(-sum(e.amount_minor), 0) AS used
                       FROM finance.credit_entry e LEFT JOIN finance.credit_note n USING (credit_note_id)
                      WHERE c.invoice_id IN (e.invoice_id, n.invoice_id)) u
 CROSS JOIN LATERAL (SELECT (SELECT COALESCE(sum(amount_minor), 0) FROM finance.invoice_line l WHERE l.invoice_id = c.invoice_id)
                          + (SELECT COALESCE(sum(amount_minor), 0) FROM finance.adjustment x
                              WHERE x.tenant = c.tenant AND x.original_period = c.period
                                AND x.adjustment_id NOT IN (SELECT adjustment_id FROM finance.adjustment_dropped)) AS booked) b
 WHERE u.used > GREATEST(b.booked, 0) AND c.invoice_id NOT IN (SELECT invoice_id FROM finance.write_off);
-- 6: every entry of the journal balances
SELECT entry, currency, sum(amount_minor) FROM finance.journal_line GROUP BY entry, currency HAVING sum(amount_minor) <> 0;
-- 6: receivable = invoices - credit notes - payments - what was written off, of each tenant
SELECT tenant, currency, x.documents, j.journal
  FROM (SELECT v.tenant, v.currency, sum(s.due_minor) AS documents FROM finance.invoice v JOIN finance.invoice_standing s USING (invoice_id) GROUP BY 1, 2) x
  FULL JOIN (SELECT tenant, currency, sum(amount_minor) AS journal FROM finance.journal_line WHERE account = 'receivable' GROUP BY 1, 2) j USING (tenant, currency)
 WHERE COALESCE(x.documents, 0) <> COALESCE(j.journal, 0);
-- 6: nothing is due below nothing
SELECT invoice_id, total_minor, credited_minor, paid_minor, due_minor FROM finance.invoice_standing WHERE due_minor < 0;
-- 6: what is kept for tenants is what the journal says, and paid in advance what grants say
SELECT tenant, currency, b.kept, j.journal
  FROM (SELECT tenant, currency, sum(amount_minor) AS kept FROM finance.balance_entry GROUP BY 1, 2) b
  FULL JOIN (SELECT tenant, currency, -sum(amount_minor) AS journal FROM finance.journal_line WHERE account = 'customer_balance' GROUP BY 1, 2) j USING (tenant, currency)
 WHERE COALESCE(b.kept, 0) <> COALESCE(j.journal, 0);
SELECT tenant, currency, g.left_over, j.journal
  FROM (SELECT g.tenant, g.currency, sum(e.amount_minor) AS left_over FROM finance.credit_grant g JOIN finance.credit_entry e USING (grant_id) WHERE g.kind = 'prepaid' GROUP BY 1, 2) g
  FULL JOIN (SELECT tenant, currency, -sum(amount_minor) AS journal FROM finance.journal_line WHERE account = 'deferred_revenue' GROUP BY 1, 2) j USING (tenant, currency)
 WHERE COALESCE(g.left_over, 0) <> COALESCE(j.journal, 0);
-- 7: numbers of each series go up by one, with dates
SELECT * FROM (
	SELECT number, place, day, place - lag(place, 1, 0::bigint) OVER w AS step, day < lag(day) OVER w AS back
	  FROM (SELECT 'INV' AS series, issuer, series_year, number, series_number AS place, issued_on AS day FROM finance.invoice WHERE status = 'final'
	        UNION ALL SELECT 'CRN', issuer, series_year, number, series_number, issued_on FROM finance.credit_note) d
	WINDOW w AS (PARTITION BY series, issuer, series_year ORDER BY place)) x
 WHERE step <> 1 OR back;
-- nothing is posted on a day of a month that was closed hard at the time, or is now
SELECT period, p.entry, p.posted_on
  FROM finance.journal_line p
  JOIN finance.period_lock k ON k.period = to_char(p.posted_on, 'YYYY-MM') AND k.state = 'hard'
 WHERE p.posted_on > k.at::date
   AND NOT EXISTS (SELECT FROM finance.period_lock o WHERE o.period = k.period AND o.lock_id > k.lock_id AND o.state = 'open');
