-- Adjustments of a month that wait for an invoice.
-- $1 text period
SELECT count(*) || CASE count(*) WHEN 1 THEN ' adjustment of ' ELSE ' adjustments of ' END || tenant || ' not invoiced yet', round(sum(amount_minor) / 10::numeric ^ minor_units, 6), currency
  FROM finance.adjustment_waiting
 WHERE original_period = $1::text
 GROUP BY tenant, currency, minor_units
 ORDER BY tenant, currency;
