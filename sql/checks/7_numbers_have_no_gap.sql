-- document numbers have no gap and no double, say their issuer, year and place, and rise with dates
SELECT issuer, year, COALESCE(c.next_number, 1) - 1 AS counter, COALESCE(v.invoices, 0) AS invoices, COALESCE(v.highest, 0) AS highest
  FROM (SELECT issuer, year, next_number FROM finance.document_counter WHERE series = 'INV') c
  FULL JOIN (SELECT issuer, series_year AS year, count(*) AS invoices, count(DISTINCT series_number) AS different, max(series_number) AS highest
          FROM finance.invoice WHERE status = 'final' GROUP BY issuer, series_year) v USING (issuer, year)
 WHERE COALESCE(v.invoices, 0) <> COALESCE(c.next_number, 1) - 1 OR COALESCE(v.highest, 0) <> COALESCE(c.next_number, 1) - 1
    OR COALESCE(v.different, 0) <> COALESCE(c.next_number, 1) - 1
UNION ALL
SELECT issuer, series_year, series_number, 0, 0
  FROM (SELECT *, lag(issued_on) OVER (PARTITION BY issuer, series_year ORDER BY series_number) AS before FROM finance.invoice WHERE status = 'final') x
 WHERE issued_on < before OR extract(year FROM issued_on) <> series_year
    OR number <> issuer || '-INV-' || series_year || '-' || lpad(series_number::text, greatest(6, length(series_number::text)), '0');
