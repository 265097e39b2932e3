/*
 * manifest_compare.h -- in what two manifests differ.
 */
#ifndef NIGHTLY_MANIFEST_COMPARE_H
#define NIGHTLY_MANIFEST_COMPARE_H

#include "base/error.h"
#include "base/memory.h"

/* Called with each difference: where it is, as "totals[EUR].net", and either side's value as JSON, NULL where it is not there.  The
 * texts live until the call returns. */
typedef void manifest_differs(void *context, const char *path, const char *a, const char *b);

/* Compares two manifests, but for what depends on the clock ("timing") and the digest, which follows from the rest.  Items of lists are
 * told apart by their names (a document by its path, a total by its currency), not by their place. */
MUST_CHECK
bool manifest_compare(struct bytes a, struct bytes b, manifest_differs *differs, void *context, struct error *err);

#endif
