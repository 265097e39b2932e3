/*
 * settings.h -- the configuration of a verb that reads all of it.
 */
#ifndef NIGHTLY_SETTINGS_H
#define NIGHTLY_SETTINGS_H

#include "base/command.h"
#include "base/config.h"

/* The option of such a verb. */
#define SETTINGS_OPTION                                                                                                          \
	{                                                                                                                        \
		"set", "KEY=VALUE...", "a setting, stronger than file and environment: --set night.grace_hours=48", 's'          \
	}

/* What --config, the environment and --set say; ended with config_free(). */
MUST_CHECK
bool settings_open(struct run *run, struct config **out, struct error *err);

#endif
