October is invoiced, and then a node that was offline sends what it had kept.  A document that is out does not change; what came
late is counted, shown, and held until somebody decides.

    $ tollbook init >setup.txt
    $ tollbook prices publish --quiet --as-of 2026-10-01 examples/prices/public-usd.json >>setup.txt
    $ tollbook tenant apply --quiet --as-of 2026-10-01 examples/tenants.json >>setup.txt
    $ cat >usage.ndjson <<'END'
    > {"idempotency_key":"a-1","tenant":"acme","time":"2026-10-20T10:00:00Z","model":"gpt-5-mini","input_tokens":4000000,"output_tokens":1000000}
    > END
    $ tollbook ingest --as-of 2026-11-02 usage.ndjson
    file          records  accepted  duplicates  ignored  quarantined  rejected
    usage.ndjson        1         1           0        0            0         0
    $ tollbook rate --as-of 2026-11-02
    run 1: 1 ledger rows of 1 batches into 1 interval sums; 1 tenant periods rated: 3 charges, 0 holds
    nothing is held
    $ tollbook invoice draft --as-of 2026-11-02
    tenant  period   lines   net   tax  total  currency  status
    acme    2026-10      2  3.00  0.00   3.00  USD       draft
    $ tollbook invoice finalize --as-of 2026-11-02
    number              tenant  period    net  credits   tax  total  from balance  currency  status
    TF-INV-2026-000001  acme    2026-10  3.00     0.00  0.00   3.00          0.00  USD       final
    $ cat >late.ndjson <<'END'
    > {"idempotency_key":"a-2","tenant":"acme","time":"2026-10-21T10:00:00Z","model":"gpt-5-mini","input_tokens":2000000,"output_tokens":0}
    > END
    $ tollbook ingest --as-of 2026-11-04 late.ndjson
    file         records  accepted  duplicates  ignored  quarantined  rejected
    late.ndjson        1         1           0        0            0         0
    $ tollbook rate --as-of 2026-11-04
    run 2: 1 ledger rows of 1 batches into 1 interval sums; 1 tenant periods rated: 0 charges, 2 holds
    tenant  period   model       service tier  meter                       held because     quantity
    acme    2026-10  gpt-5-mini  default       requests                    period_invoiced         1
    acme    2026-10  gpt-5-mini  default       input_text_uncached_tokens  period_invoiced   2000000
    (exit 7)
    $ tollbook invoice list --as-of 2026-11-04
    number              status  tenant  period   kind    lines   net  credits   tax  total   due  currency  issued on
    TF-INV-2026-000001  final   acme    2026-10  period      2  3.00     0.00  0.00   3.00  3.00  USD       2026-11-02
    $ tollbook invoice draft --as-of 2026-11-04
    tenant  period   lines  net  tax  total  currency  status
    acme    2026-10                                    invoiced already

Ledger and charges still agree to the last token, because what is held is counted.

    $ tollbook reconcile --as-of 2026-11-04 | grep DIFFERENT || echo 'nothing is different'
    nothing is different
