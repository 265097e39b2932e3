-- From this run on, intervals follow what the published price books tell apart, in the periods that a version stands in for another one
-- from their start on: notes what is new, or in force earlier than before.
-- $1 bigint run
-- $2 bigint the newest price book version that counts
-- $3 bigint the newest substitution that counts
INSERT INTO metering.distinction (kind, boundary, name, since, rating_run)
SELECT w.kind, w.boundary, w.name, w.since, $1::bigint
  FROM (SELECT d.kind, d.boundary, d.name, min(f.since) AS since
          FROM finance.price_distinction d
          JOIN (SELECT price_book_version_id, effective AS since FROM finance.price_book_version
                UNION ALL
                SELECT s.price_book_version_id, p.starts
                  FROM finance.price_substitution s
                  JOIN finance.billing_period p ON p.tenant = s.tenant AND p.period = s.period
                 WHERE s.substitution_id <= $3::bigint) f USING (price_book_version_id)
         WHERE d.price_book_version_id <= $2::bigint
         GROUP BY d.kind, d.boundary, d.name) w
 WHERE NOT EXISTS (SELECT FROM metering.distinction f
                    WHERE f.kind = w.kind AND f.boundary = w.boundary AND f.name = w.name AND f.since <= w.since);
