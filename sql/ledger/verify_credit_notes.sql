-- Credit notes with their content digests.
SELECT credit_note_id, number, encode(content_digest, 'hex') FROM finance.credit_note ORDER BY credit_note_id;
