-- What the step finalize of a night has issued, by currency.
-- $1 bigint night run
SELECT x.currency, count(*), sum((x.result ->> 'net')::numeric), sum((x.result ->> 'credits')::numeric), sum((x.result ->> 'tax')::numeric),
       sum((x.result ->> 'total')::numeric)
  FROM (SELECT result::jsonb AS result, result::jsonb ->> 'currency' AS currency
          FROM finance.night_unit WHERE night_run = $1::bigint AND step = 'finalize' AND is_done) x
 GROUP BY x.currency ORDER BY x.currency COLLATE "C";
