-- The number of this run, and what there is to rate with.
SELECT nextval('finance.rating_run_id'),
       COALESCE((SELECT max(price_book_version_id) FROM finance.price_book_version), 0),
       COALESCE((SELECT max(contract_id) FROM finance.contract), 0),
       COALESCE((SELECT max(substitution_id) FROM finance.price_substitution), 0);
