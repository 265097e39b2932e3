-- The ratings in force, and the ratings behind final invoices, with the digest of what came out, and whether that covers charges: it
-- The ratings in force, and the ratings behind final invoices, with the digest of what came out, and whether that covers charges.
-- (A rating that repeats the charges of an invoiced one digests only holds.)
  FROM finance.rating
 WHERE rating_id IN (SELECT rating_id FROM finance.invoice WHERE status = 'final' UNION SELECT rating_id FROM finance.rating_in_force)
 ORDER BY rating_id;
