-- document numbers have no gap and no double, and rise with dates
SELECT c.issuer, c.year, c.next_number - 1 AS counter, count(v.number) AS invoices, max(v.series_number) AS highest
  FROM finance.document_counter c
  LEFT JOIN finance.invoice v ON v.issuer = c.issuer AND v.series_year = c.year
 WHERE c.series = 'INV'
 GROUP BY c.issuer, c.series, c.year
HAVING count(v.number) <> c.next_number - 1 OR COALESCE(max(v.series_number), 0) <> c.next_number - 1
    OR count(DISTINCT v.series_number) <> c.next_number - 1
UNION ALL
SELECT issuer, series_year, series_number, 0, 0
  FROM (SELECT *, lag(issued_on) OVER (PARTITION BY issuer, series_year ORDER BY series_number) AS before FROM finance.invoice WHERE status = 'final') x
 WHERE issued_on < before;
