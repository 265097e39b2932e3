/* base64.h -- base 64 to bytes, for data that JSON cannot hold as text. */
#ifndef INGEST_BASE64_H
#define INGEST_BASE64_H

#include <stdbool.h>

#include "base/memory.h"

/* RFC 4648, section 4: with padding, without anything else, unused bits zero; false where the text is not that.  *out is in the
 * arena. */
bool base64_decode(struct arena *arena, struct bytes text, struct bytes *out);

#endif
