-- The number of this run, and what there is to rate with.  Whoever asks has the lock of rating, so that numbers have no gaps: those that a run
-- took which came to nothing are taken again.
SELECT COALESCE((SELECT max(rating_run) FROM finance.rating_run), 0) + 1,
       COALESCE((SELECT max(price_book_version_id) FROM finance.price_book_version), 0),
       COALESCE((SELECT max(contract_id) FROM finance.contract), 0),
       COALESCE((SELECT max(substitution_id) FROM finance.price_substitution), 0),
       setval('finance.rating_id', COALESCE((SELECT max(rating_id) FROM finance.rating), 0) + 1, false);
