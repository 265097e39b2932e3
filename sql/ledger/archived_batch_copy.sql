-- What an archive has of each batch.
COPY metering.archived_batch (archive_id, batch_id, rows, digest) FROM STDIN;
