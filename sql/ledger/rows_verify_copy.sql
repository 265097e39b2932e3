-- Every ledger row as ledger/batch.c sent it, in the order the digests cover them, in binary.  Of rows of other machines, which are not as of one
-- moment, those whose batch was there when this transaction began.
COPY (
	SELECT batch_id, ordinal, kind, event_id, event_time, series_id, event_source_id, id, flags, context_input_tokens, requests,
	       input_text_uncached_tokens, input_text_cache_read_tokens, input_text_cache_write_5m_tokens,
	       input_text_cache_write_1h_tokens, output_text_tokens, output_reasoning_tokens, extra, context
	  FROM metering.usage_event
	 WHERE (SELECT NOT metering.ledger_is_distributed()) OR batch_id IN (SELECT batch_id FROM metering.ingest_batch)
	 ORDER BY batch_id, ordinal, kind
) TO STDOUT (FORMAT binary);
