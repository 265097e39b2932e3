-- The newest of everything that a rating depends on.
SELECT COALESCE((SELECT max(rating_run) FROM finance.rating_run), 0),
       COALESCE((SELECT max(price_book_version_id) FROM finance.price_book_version), 0),
       COALESCE((SELECT max(contract_id) FROM finance.contract), 0),
       COALESCE((SELECT max(substitution_id) FROM finance.price_substitution), 0),
       COALESCE((SELECT max(rating_id) FROM finance.rating), 0);
