-- The ratings in force, and those that documents stand on (final invoices, adjustments), with the digest of what came out, and whether
-- that covers charges.  (A rating that repeats the charges of an earlier one digests only holds.)  Of periods from tollbook.check_from
-- on, see reports/check_scope.sql.
SELECT rating_id, tenant, period, encode(output_digest, 'hex'), priced_until = summed_until
  FROM finance.rating
 WHERE rating_id IN (SELECT rating_id FROM finance.invoice WHERE status = 'final' AND rating_id IS NOT NULL
                     UNION SELECT rating_id FROM finance.rating_in_force
                     UNION SELECT old_rating_id FROM finance.adjustment UNION SELECT new_rating_id FROM finance.adjustment)
   AND period >= COALESCE(current_setting('tollbook.check_from', true), '')
 ORDER BY rating_id;
