Prices apply to a month: input is cheaper behind the first 1,500 tokens, and output is sold in packages.  What did a single request
cost?  The answer is exact: the rows add up to the charges.

    $ cat >standard.json <<'END'
    > {"tollbook_prices": 1, "book": "standard", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"],
    >  "fallback": {"output_reasoning_tokens": "output_text_tokens"}, "rules": [{"model": "small", "prices": {
    >   "input_text_uncached_tokens": {"tiers": "graduated", "per": 1000000, "steps": [{"up_to": 1500, "price": "2"}, {"price": "1"}]},
    >   "output_text_tokens": {"package": 1000, "price": "0.003"}}}]}
    > END
    $ cat >tenants.json <<'END'
    > {"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [{"tenant": "acme", "name": "Acme", "currency": "USD",
    >  "zone": "UTC", "book": "standard", "issuer": "TF", "effective": "2026-01-01", "terms": {"discounts": [{"name": "deal", "percent": "10"}]}}]}
    > END
    $ cat >usage.ndjson <<'END'
    > {"idempotency_key":"a-1","tenant":"acme","time":"2026-10-20T10:00:00Z","model":"small","input_tokens":1000,"output_tokens":600}
    > {"idempotency_key":"a-2","tenant":"acme","time":"2026-10-20T10:00:01Z","model":"small","input_tokens":800,"output_tokens":600}
    > {"idempotency_key":"a-3","tenant":"acme","time":"2026-10-20T10:00:02Z","model":"large","input_tokens":5,"output_tokens":0}
    > END
    $ tollbook init >setup.txt
    $ tollbook prices publish --quiet --as-of 2026-10-01 standard.json >>setup.txt 2>&1
    $ tollbook tenant apply --quiet --as-of 2026-10-01 tenants.json >>setup.txt
    $ tollbook ingest --quiet --as-of 2026-11-02 usage.ndjson >>setup.txt
    $ tollbook rate --quiet --as-of 2026-11-02 >>setup.txt
    (exit 7)
    $ tollbook report requests --tenant acme --period 2026-10 --format csv -o requests.csv
    requests.csv: 10 rows of 3 events, which add up to the charges of 2026-10 of acme
    $ cut -d, -f3,4,7,8,11,13- requests.csv | grep -v ,requests,
    id,kind,meter,quantity,amount,rule,tier,detail,held,charge
    a-1,usage,input_text_uncached_tokens,1000,0.002,standard@1 rule 1,1,,,2
    a-1,usage,output_text_tokens,600,0.003,standard@1 rule 1,1,,,4
    a-2,usage,input_text_uncached_tokens,500,0.001,standard@1 rule 1,1,,,2
    a-2,usage,input_text_uncached_tokens,300,0.0003,standard@1 rule 1,2,,,3
    a-2,usage,output_text_tokens,600,0.003,standard@1 rule 1,1,,,4
    a-3,usage,input_text_uncached_tokens,5,,,,,no_rule,
    ,discount,,,-0.00093,,,deal: 10 % of 0.0093,,5
    $ tollbook report requests --tenant acme --period 2026-10 | tail -n 1
    total 0.00837 USD, 10 rows of 3 events; the rows add up to the charges
