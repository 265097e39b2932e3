A gateway sends the same usage twice, and it is counted once.

    $ tollbook init >made.txt
    $ cat >usage.ndjson <<'END'
    > {"idempotency_key":"a-17","tenant":"acme","time":"2026-10-05T10:00:00Z","model":"gpt-5-mini","input_tokens":1500,"cached_input_tokens":512,"output_tokens":200}
    > {"idempotency_key":"a-18","tenant":"acme","time":"2026-10-05T10:00:01Z","model":"gpt-5-mini","input_tokens":20,"output_tokens":7}
    > END
    $ tollbook ingest --as-of 2026-10-06 usage.ndjson
    file          records  accepted  duplicates  ignored  quarantined  rejected
    usage.ndjson        2         2           0        0            0         0
    $ tollbook ingest --as-of 2026-10-06 usage.ndjson
    file          records  accepted  duplicates  ignored  quarantined  rejected
    usage.ndjson        2         0           2        0            0         0

The same key with other numbers is not a repeat.  It is set aside, the first stays booked, and the exit code says that somebody
has to look.

    $ sed 's/1500/1600/' usage.ndjson >edited.ndjson
    $ tollbook ingest --as-of 2026-10-06 edited.ndjson
      1 x E_KEY_CONFLICT: an idempotency key that the ledger has with other content
      look at them with: tollbook quarantine list
    file           records  accepted  duplicates  ignored  quarantined  rejected
    edited.ndjson        2         0           1        0            1         0
    (exit 7)

A copy that only the clock of a collector has touched is a duplicate all the same.

    $ sed 's/10:00:01Z/10:00:09Z/' usage.ndjson | tail -n 1 | tollbook ingest --as-of 2026-10-06 -
    file  records  accepted  duplicates  ignored  quarantined  rejected
    -           1         0           1        0            0         0
