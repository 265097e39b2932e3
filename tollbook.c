/*
 * tollbook.c -- the front door: the table of verbs.
 *
 * A verb lives with its room; adding one is its file and one line here.
 */
#include "base/command.h"

#define COMMANDS                                                                                                                 \
	COMMAND(cmd_init)                                                                                                        \
	COMMAND(cmd_local_start)                                                                                                 \
	COMMAND(cmd_local_stop)                                                                                                  \
	COMMAND(cmd_local_status)                                                                                                \
	COMMAND(cmd_local_psql)                                                                                                  \
	COMMAND(cmd_nightly)                                                                                                     \
	COMMAND(cmd_ingest)                                                                                                      \
	COMMAND(cmd_consume)                                                                                                     \
	COMMAND(cmd_formats_list)                                                                                                \
	COMMAND(cmd_formats_show)                                                                                                \
	COMMAND(cmd_formats_try)                                                                                                 \
	COMMAND(cmd_formats_guess)                                                                                               \
	COMMAND(cmd_quarantine_list)                                                                                             \
	COMMAND(cmd_quarantine_show)                                                                                             \
	COMMAND(cmd_quarantine_release)                                                                                          \
	COMMAND(cmd_quarantine_discard)                                                                                          \
	COMMAND(cmd_usage_void)                                                                                                  \
	COMMAND(cmd_usage_correct)                                                                                               \
	COMMAND(cmd_usage_show)                                                                                                  \
	COMMAND(cmd_status)                                                                                                      \
	COMMAND(cmd_config_show)                                                                                                 \
	COMMAND(cmd_config_check)                                                                                                \
	COMMAND(cmd_runs_list)                                                                                                   \
	COMMAND(cmd_runs_show)                                                                                                   \
	COMMAND(cmd_runs_diff)                                                                                                   \
	COMMAND(cmd_prices_check)                                                                                                \
	COMMAND(cmd_prices_publish)                                                                                              \
	COMMAND(cmd_prices_list)                                                                                                 \
	COMMAND(cmd_prices_show)                                                                                                 \
	COMMAND(cmd_prices_which)                                                                                                \
	COMMAND(cmd_prices_diff)                                                                                                 \
	COMMAND(cmd_prices_quote)                                                                                                \
	COMMAND(cmd_prices_import)                                                                                               \
	COMMAND(cmd_tenant_apply)                                                                                                \
	COMMAND(cmd_tenant_list)                                                                                                 \
	COMMAND(cmd_role_apply)                                                                                                  \
	COMMAND(cmd_role_list)                                                                                                   \
	COMMAND(cmd_reason_list)                                                                                                 \
	COMMAND(cmd_reason_add)                                                                                                  \
	COMMAND(cmd_audit_list)                                                                                                  \
	COMMAND(cmd_rate)                                                                                                        \
	COMMAND(cmd_rerate_plan)                                                                                                 \
	COMMAND(cmd_rerate_list)                                                                                                 \
	COMMAND(cmd_rerate_show)                                                                                                 \
	COMMAND(cmd_rerate_approve)                                                                                              \
	COMMAND(cmd_rerate_reject)                                                                                               \
	COMMAND(cmd_rerate_apply)                                                                                                \
	COMMAND(cmd_invoice_draft)                                                                                               \
	COMMAND(cmd_invoice_finalize)                                                                                            \
	COMMAND(cmd_invoice_list)                                                                                                \
	COMMAND(cmd_invoice_show)                                                                                                \
	COMMAND(cmd_invoice_uncollectible)                                                                                       \
	COMMAND(cmd_parked_list)                                                                                                 \
	COMMAND(cmd_parked_release)                                                                                              \
	COMMAND(cmd_credit_note_issue)                                                                                           \
	COMMAND(cmd_credit_note_list)                                                                                            \
	COMMAND(cmd_credit_note_show)                                                                                            \
	COMMAND(cmd_payment_import)                                                                                              \
	COMMAND(cmd_payment_list)                                                                                                \
	COMMAND(cmd_payment_balances)                                                                                            \
	COMMAND(cmd_credit_grant)                                                                                                \
	COMMAND(cmd_credit_list)                                                                                                 \
	COMMAND(cmd_credit_show)                                                                                                 \
	COMMAND(cmd_credit_history)                                                                                              \
	COMMAND(cmd_credit_revoke)                                                                                               \
	COMMAND(cmd_credit_expire)                                                                                               \
	COMMAND(cmd_explain)                                                                                                     \
	COMMAND(cmd_report_workbook)                                                                                             \
	COMMAND(cmd_report_requests)                                                                                             \
	COMMAND(cmd_spend_publish)                                                                                               \
	COMMAND(cmd_close)                                                                                                       \
	COMMAND(cmd_archive_write)                                                                                               \
	COMMAND(cmd_archive_list)                                                                                                \
	COMMAND(cmd_archive_verify)                                                                                              \
	COMMAND(cmd_archive_query)                                                                                               \
	COMMAND(cmd_archive_attach)                                                                                              \
	COMMAND(cmd_archive_detach)                                                                                              \
	COMMAND(cmd_reconcile)

#define COMMAND(name) extern const struct command name;
COMMANDS
#undef COMMAND

static const struct command *const commands[] = {
#define COMMAND(name) &name,
    COMMANDS
#undef COMMAND
	NULL,
};

int
main(int argc, char **argv)
{
	return commands_main(commands, argc, argv);
}
