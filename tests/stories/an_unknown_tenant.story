Usage of a tenant whom nobody has entered yet.  It is not dropped and not given away: it waits, and is charged when the contract
comes.

    $ tollbook init >setup.txt
    $ tollbook prices publish --quiet --as-of 2026-10-01 examples/prices/public-usd.json >>setup.txt
    $ tollbook tenant apply --quiet --as-of 2026-10-01 examples/tenants.json >>setup.txt
    $ cat >usage.ndjson <<'END'
    > {"idempotency_key":"n-1","tenant":"nova","time":"2026-11-01T02:00:00Z","model":"gpt-5-mini","input_tokens":4000000,"output_tokens":1000000}
    > END
    $ tollbook ingest --as-of 2026-11-02 usage.ndjson
    file          records  accepted  duplicates  ignored  quarantined  rejected
    usage.ndjson        1         1           0        0            0         0
    $ tollbook rate --as-of 2026-11-02
    run 1: 1 ledger rows of 1 batches into 1 interval sums; 1 tenant periods rated: 0 charges, 3 holds
    tenant  period   model       service tier  meter                       held because    quantity
    nova    2026-11  gpt-5-mini  default       requests                    unknown_tenant         1
    nova    2026-11  gpt-5-mini  default       input_text_uncached_tokens  unknown_tenant   4000000
    nova    2026-11  gpt-5-mini  default       output_text_tokens          unknown_tenant   1000000
    (exit 7)
    $ tollbook invoice draft --as-of 2026-11-02
    tenant  period   lines  net  tax  total  currency  status
    nova    2026-11                                    no contract: its usage is on hold

Nova turns out to be in New York, where it was still October.

    $ cat >nova.csv <<'END'
    > tenant,name,currency,zone,book,issuer,effective
    > nova,Nova Labs,USD,America/New_York,public-usd,TF,2026-10-01
    > END
    $ tollbook tenant apply --as-of 2026-11-03 nova.csv
    tenant  name       currency  zone              book        effective   status
    nova    Nova Labs  USD       America/New_York  public-usd  2026-10-01  applied
    $ tollbook rate --as-of 2026-11-03
    run 2: 0 ledger rows of 0 batches into 0 interval sums; 1 tenant periods rated: 3 charges, 0 holds
    nothing is held
    $ tollbook invoice draft --as-of 2026-11-03
    tenant  period   lines   net   tax  total  currency  status
    nova    2026-10      2  3.00  0.00   3.00  USD       draft
