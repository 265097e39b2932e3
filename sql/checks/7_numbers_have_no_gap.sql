-- numbers of invoices and credit notes have no gap and no double, say their issuer, series, year and place, and rise with dates; no series is of both
WITH document AS (
	SELECT 'invoice' AS kind, issuer, split_part(number, '-', 2) AS series, series_year AS year, series_number, number, issued_on
	  FROM finance.invoice WHERE status = 'final'
	UNION ALL
	SELECT 'credit note', issuer, split_part(number, '-', 2), series_year, series_number, number, issued_on FROM finance.credit_note
)
SELECT issuer, series, year, COALESCE(c.next_number, 1) - 1 AS counter, COALESCE(d.documents, 0) AS documents, COALESCE(d.highest, 0) AS highest
  FROM finance.document_counter c
  FULL JOIN (SELECT issuer, series, year, count(*) AS documents, count(DISTINCT series_number) AS different, max(series_number) AS highest,
                    max(issued_on) AS newest
               FROM document GROUP BY issuer, series, year) d USING (issuer, series, year)
 WHERE COALESCE(d.documents, 0) <> COALESCE(c.next_number, 1) - 1 OR COALESCE(d.highest, 0) <> COALESCE(c.next_number, 1) - 1
    OR COALESCE(d.different, 0) <> COALESCE(c.next_number, 1) - 1 OR d.newest > c.last_date
UNION ALL
SELECT issuer, series, year, series_number, 0, 0
  FROM (SELECT *, lag(issued_on) OVER (PARTITION BY issuer, series, year ORDER BY series_number) AS before FROM document) x
 WHERE issued_on < before OR extract(year FROM issued_on) <> year
    OR number <> issuer || '-' || series || '-' || year || '-' || lpad(series_number::text, greatest(6, length(series_number::text)), '0')
UNION ALL
SELECT issuer, series, max(year), count(*), count(*) FILTER (WHERE kind = 'credit note'), max(series_number)
  FROM document GROUP BY issuer, series HAVING count(DISTINCT kind) > 1;
