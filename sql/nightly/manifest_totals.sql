-- Money of a run by currency: of the invoices it issued, what its ratings come to, and what usage on hold is worth.
-- $1 bigint night run
WITH invoice AS (
	SELECT v.currency, count(*) AS documents, max(v.minor_units) AS minor_units, sum(v.net_minor / 10::numeric ^ v.minor_units) AS net,
	       sum(v.credits_minor / 10::numeric ^ v.minor_units) AS credits, sum(v.tax_minor / 10::numeric ^ v.minor_units) AS tax,
	       sum(v.total_minor / 10::numeric ^ v.minor_units) AS total
	  FROM finance.night_run n JOIN finance.invoice v ON v.status = 'final' AND v.finalized_at = n.at AND v.finalized_by = 'nightly'
	 WHERE n.night_run = $1::bigint GROUP BY v.currency
), charged AS (
	SELECT h.currency, sum(h.amount) AS amount
	  FROM finance.night_unit u
	  JOIN finance.rating g ON g.rating_run = (u.result::json ->> 'rating_run')::bigint
	  JOIN finance.charge h USING (rating_id)
	 WHERE u.night_run = $1::bigint AND u.step = 'rate' AND u.unit = 'run' AND u.is_done GROUP BY h.currency
), held AS (
	SELECT currency, sum(worth) AS worth FROM finance.held WHERE worth IS NOT NULL GROUP BY currency
)
SELECT currency, COALESCE(v.documents, 0), COALESCE(round(v.net, v.minor_units), 0), COALESCE(round(v.credits, v.minor_units), 0),
       COALESCE(round(v.tax, v.minor_units), 0), COALESCE(round(v.total, v.minor_units), 0), COALESCE(trim_scale(c.amount), 0),
       COALESCE(trim_scale(round(h.worth, 6)), 0)
  FROM invoice v FULL JOIN charged c USING (currency) FULL JOIN held h USING (currency)
 ORDER BY currency COLLATE "C";
