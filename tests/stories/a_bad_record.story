One record of three is bad.  The others are booked, the bad one is kept byte for byte, and the exit code says that somebody has to
look.

    $ tollbook init >setup.txt
    $ cat >usage.ndjson <<'END'
    > {"idempotency_key":"a-1","tenant":"acme","time":"2026-10-05T10:00:00Z","model":"gpt-5-mini","input_tokens":1500,"output_tokens":200}
    > {"idempotency_key":"a-2","tenant":"acme","time":"2026-10-05T10:00:01","model":"gpt-5-mini","input_tokens":1500,"output_tokens":200}
    > {"idempotency_key":"a-3","tenant":"acme","time":"2026-10-05T10:00:02Z","model":"gpt-5-mini","input_tokens":3000000000,"output_tokens":200}
    > END
    $ tollbook ingest --as-of 2026-10-06 usage.ndjson
      1 x E_TIME_NO_ZONE: a time without a zone
      1 x E_IMPLAUSIBLE: a quantity above the plausible limit for one event
      look at them with: tollbook quarantine list
    file          records  accepted  duplicates  ignored  quarantined  rejected
    usage.ndjson        3         1           0        0            1         1
    (exit 7)
    $ tollbook quarantine list
    id  outcome      code            source        record  field                       value                bytes  state
     1  rejected     E_TIME_NO_ZONE  usage.ndjson       2  time                        2026-10-05T10:00:01    131  waiting
     2  quarantined  E_IMPLAUSIBLE   usage.ndjson       3  input_text_uncached_tokens  3000000000             138  waiting

What was not said clearly cannot be released: when in the world is ten o'clock?  The producer sends the call again, in full.

    $ tollbook quarantine show 1
    record    2 of usage.ndjson
    outcome   rejected, E_TIME_NO_ZONE: a time without a zone
    field     time
    value     2026-10-05T10:00:01
    state     waiting
    remedy    discard it and send a corrected event; its key was not taken
    bytes     131
    {"idempotency_key":"a-2","tenant":"acme","time":"2026-10-05T10:00:01","model":"gpt-5-mini","input_tokens":1500,"output_tokens":200}
    $ tollbook quarantine release 1 --reason 'it was UTC'
    tollbook: record 1 cannot be released: E_TIME_NO_ZONE, a time without a zone
    hint: Discard it and send a corrected event; its key was not taken.
    (exit 4)
    $ tollbook quarantine discard 1 --reason 'sent again with a zone' --by ines
    1: discarded
    $ sed -n '2s/10:00:01/&Z/p' usage.ndjson | tollbook ingest --as-of 2026-10-06 -
    file  records  accepted  duplicates  ignored  quarantined  rejected
    -           1         1           0        0            0         0

Three billion tokens are said clearly, and are hard to believe.  A person may believe them, and says why.

    $ tollbook quarantine release 2 --reason 'one batch job, confirmed by the tenant' --by ines --as-of 2026-10-06
    2: released
    $ tollbook quarantine list --all
    id  outcome      code            source        record  field                       value                bytes  state
     1  rejected     E_TIME_NO_ZONE  usage.ndjson       2  time                        2026-10-05T10:00:01    131  discarded
     2  quarantined  E_IMPLAUSIBLE   usage.ndjson       3  input_text_uncached_tokens  3000000000             138  released
    $ tollbook status --as-of 2026-10-06
    group        fact                 of                 value
    complete     through                                     -
    usage        from                     2026-10-05T10:00:00Z
                 until                    2026-10-05T10:00:02Z
                 last batch               2026-10-06T00:00:00Z
                 batches                                     3
                 records                                     5
                 accepted                                    3
                 duplicates                                  0
                 ignored                                     0
                 quarantined                                 1
                 rejected                                    1
                 sources read                                3
                 sources unfinished                          0
                 kafka partitions                            0
                 kafka behind                                0
                 kafka incidents                             0
    unrated      ledger rows                                 3
                 batches                                     3
                 tenant periods                              0
                 oldest                   2026-10-05T10:00:00Z
    held         holds                                       0
                 tenant periods                              0
                 unknown worth                               0
    quarantine   waiting                                     0
                 oldest                                      -
    unbilled     tenant periods                              0
    drafts       count                                       0
    due          now                                         0
                 next                                        -
                 next tenant periods                         0
    parked       waiting                                     0
                 oldest                                      -
    adjustments  waiting                                     0
    invoices     final                                       0
                 owed                                        0
    nights       last                                        -
                 outcome                                 never
                 exit code                                   -
                 instant                                     -
                 ended                                       -
                 seconds                                     -
                 attempts                                    -
                 missed                                      0
