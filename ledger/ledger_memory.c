/* ledger_memory.c -- see ledger_memory.h. */
#include "ledger/ledger_memory.h"

#include <stdlib.h>

struct ledger_memory *
ledger_memory_new(int64_t filter_mib)
{
	struct ledger_memory *memory = memory_new(1, sizeof *memory);

	memory->series = series_cache_new();
	memory->recent = recent_keys_new();
	memory->reg = register_new(filter_mib << 20);
	return memory;
}

void
ledger_memory_free(struct ledger_memory *memory)
{
	if (memory == NULL)
		return;
	series_cache_free(memory->series);
	recent_keys_free(memory->recent);
	register_free(memory->reg);
	free(memory);
}
