-- each invoice's tax = its percentage of what credits leave, and its credit notes take it back in the same way, the last one the rest
SELECT v.tenant, v.period, COALESCE(v.number, 'draft') AS number, v.tax_percent AS percent, v.tax_minor AS tax,
       round((v.net_minor - v.credits_minor) * v.tax_percent / 100) AS recomputed
  FROM finance.invoice v
 WHERE v.tax_minor <> round((v.net_minor - v.credits_minor) * v.tax_percent / 100)
UNION ALL
SELECT tenant, invoice_number, number, tax_percent, tax_minor, CASE WHEN money_after = 0 THEN tax_before ELSE least(recomputed, tax_before) END
  FROM (SELECT n.*, v.tax_minor - (sum(n.tax_minor) OVER w - n.tax_minor) AS tax_before,
               v.net_minor - v.credits_minor - sum(n.net_minor - n.credits_minor) OVER w AS money_after,
               round((n.net_minor - n.credits_minor) * v.tax_percent / 100) AS recomputed,
               (n.tax_name, n.tax_percent) IS DISTINCT FROM (v.tax_name, v.tax_percent) AS other_tax
          FROM finance.credit_note n
          JOIN finance.invoice v USING (invoice_id)
        WINDOW w AS (PARTITION BY n.invoice_id ORDER BY n.credit_note_id)) x
 WHERE tax_minor <> CASE WHEN money_after = 0 THEN tax_before ELSE least(recomputed, tax_before) END OR other_tax;
