/*
 * config_read.h -- what the configuration file, the environment and the command line say, in rising strength.  For base/config.c.
 */
#ifndef BASE_CONFIG_READ_H
#define BASE_CONFIG_READ_H

#include "base/config.h"

/* As config_open(), but for what belongs together. */
MUST_CHECK
bool config_read(struct config *config, const char *path, const char *const *sets, size_t set_count, struct error *err);

#endif
