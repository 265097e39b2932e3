"""Why a row is not as its source asserts, or cannot be asked.  A row that differs otherwise is a failure."""

REASONS = {
    # llm_cost.csv, llm_cost_dataset.csv, price_at_date.csv
    "no meter": "it counts what no meter counts",
    "part of a token": "a part of a token: tokens are whole",
    "two prices": "two prices of one class without a threshold between them",
    "parts above the whole": "its counters contradict each other: a part is more than its whole; such usage is quarantined",
    "no price": "the list has the model without any price: the source takes nothing for it, we hold the usage (no_rule)",
    # offpeak_windows.csv
    "no such time": "hours that no clock shows: there the window never matches, we refuse the book",
    # tiers.csv
    "credits": "credits are a matter of invoices, not of prices",
    "below nothing": "a month of less than nothing: a void takes back what was counted, and no more",
    "bounds of an event": "a least and a most amount for each single event",
    "free events": "events that are free take the amounts that they are about with them",
    "part of a package": "a part of a package is free",
    "packages rounded": "packages rounded down, to the nearest, or for each part of a month alone: a started package costs a package",
    # tax_proration.csv
    "tax": "tax is a matter of invoices; its rounding is checked in tests/unit/rating/tax_proration_vectors_test.c",
    "no such month": "days of a month that has another number of them",
}
