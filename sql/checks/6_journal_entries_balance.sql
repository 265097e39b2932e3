-- each entry of the journal comes to nothing: debits = credits, in each currency
SELECT entry, currency, sum(amount_minor) FILTER (WHERE amount_minor > 0) AS debits, sum(amount_minor) FILTER (WHERE amount_minor < 0) AS credits
  FROM finance.journal_line
 GROUP BY entry, currency
HAVING sum(amount_minor) <> 0;
