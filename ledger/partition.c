/* partition.c -- see partition.h. */
#include "ledger/partition.h"

#include <stdlib.h>

#include "base/command.h"

enum { RIVAL_WAIT_MS = 50, RIVAL_PATIENCE = 100 /* waits: five seconds */, FIND_ATTEMPTS = 10 };

/* --- taking over ------------------------------------------------------------------------------ */

void
message_digest(
    int64_t timestamp_ms, const struct envelope *envelope, struct bytes value, int64_t length, unsigned char out[DIGEST_SIZE])
{
	struct digest *digest = digest_new();

	digest_begin(digest);
	digest_number(digest, timestamp_ms);
	digest_number(digest, envelope->has_key);
	digest_field(digest, envelope->key.at, envelope->key.length);
	digest_number(digest, length);
	digest_field(digest, value.at, value.length);
	digest_end(digest, out);
	digest_free(digest);
}

/* The transaction that a partition's former owner has open, or "": one at most, in its own connection. */
static bool
find_rival(struct db *db, const char *partition_id, struct text *transaction, struct error *err)
{
	struct rows rows;

	if (!db_rows(db, SQL_LEDGER_PARTITION_RIVALS, PARAMS(partition_id), &rows, err))
		return false;
	text_clear(transaction);
	for (int i = 0; i < rows.count; i++)
		text_add_format(transaction, "%s since %s", row_text(&rows, i, 0), row_text(&rows, i, 1));
	rows_release(&rows);
	return true;
}

/* Waits until that transaction is over; what the owner begins afterwards does not matter, it will be refused. */
static bool
wait_for_rival(struct db *db, const char *partition_id, bool *over, struct error *err)
{
	struct text first = {0}, now = {0};
	bool fine = find_rival(db, partition_id, &first, err);

	*over = first.length == 0;
	for (int i = 0; fine && !*over && i < RIVAL_PATIENCE; i++) {
		clock_wait(RIVAL_WAIT_MS);
		fine = find_rival(db, partition_id, &now, err);
		*over = strcmp(text_string(&first), text_string(&now)) != 0;
	}
	text_release(&first);
	text_release(&now);
	return fine;
}

/* A former owner that stands still in the middle of a batch holds locks on what it wrote, and whoever reads the same records again
 * would wait for it for ever.  If it is alive and well, its transaction ends within the patience. */
static bool
end_rivals(struct db *db, const char *partition_id, struct error *err)
{
	struct rows ended;
	bool over;

	if (!wait_for_rival(db, partition_id, &over, err))
		return false;
	if (over)
		return true;
	if (!db_rows(db, SQL_LEDGER_PARTITION_RIVALS_END, PARAMS(partition_id), &ended, err))
		return false;
	rows_release(&ended);
	return wait_for_rival(db, partition_id, &over, err) &&
	    (over || error_set(err, ERROR_BUSY, "the former owner of the partition could not be ended"));
}

static bool
find_or_open(struct db *db, struct partition_name name, int64_t first_offset, struct instant now, const char *by,
    struct partition *out, struct error *err)
{
	struct arena arena = {0};
	struct rows rows = {0};
	bool fine = true;

	/* No row: another process is opening it at this moment. */
	for (int i = 0; fine && rows.count == 0 && i < FIND_ATTEMPTS; i++) {
		if (i > 0) {
			rows_release(&rows);
			clock_wait(RIVAL_WAIT_MS);
		}
		fine = db_rows(db, SQL_LEDGER_PARTITION_FIND_OR_OPEN,
		    PARAMS(name.cluster, name.topic, param_number(&arena, name.number), param_number(&arena, first_offset),
			param_instant(&arena, now), by),
		    &rows, err);
	}
	if (fine && rows.count == 0)
		fine = error_set(err, ERROR_BUSY, "another process is opening %s[%d]", name.topic, (int)name.number);
	else if (fine)
		out->partition_id = row_number(&rows, 0, 0);
	rows_release(&rows);
	arena_release(&arena);
	return fine;
}

static bool
lost(const struct partition *partition, struct error *err)
{
	error_set(err, ERROR_BUSY, "another consumer has taken over %s[%d]; nothing of this batch is booked",
	    partition->name.topic, (int)partition->name.number);
	return error_hint(err, "Two consumers read one topic without being one group, or this one stood still for too long.");
}

/* Raises the epoch and reads where the partition stands. */
static bool
raise_epoch(struct db *db, struct partition *partition, int64_t epoch, const char *owner, struct error *err)
{
	struct arena arena = {0};
	struct rows row = {0};
	bool fine;

	fine = end_rivals(db, param_number(&arena, partition->partition_id), err) &&
	    db_rows(db, SQL_LEDGER_PARTITION_TAKE,
		PARAMS(param_number(&arena, partition->partition_id), owner, param_number(&arena, epoch)), &row, err) &&
	    (row.count == 1 || lost(partition, err));
	if (fine) {
		partition->epoch = row_number(&row, 0, 0);
		partition->next_offset = row_number(&row, 0, 1);
		partition->clear_offset = row_number(&row, 0, 2);
		partition->last_offset = row_is_null(&row, 0, 3) ? -1 : row_number(&row, 0, 3);
		if (partition->last_offset >= 0)
			digest_unhex(row_text(&row, 0, 4), DIGEST_SIZE, partition->last_digest);
	}
	rows_release(&row);
	arena_release(&arena);
	return fine;
}

bool
partition_take(struct db *db, struct partition_name name, int64_t first_offset, const char *owner, struct instant now,
    const char *by, struct partition *out, struct error *err)
{
	*out = (struct partition){.name = name};
	return find_or_open(db, name, first_offset, now, by, out, err) && raise_epoch(db, out, -1, owner, err);
}

bool
partition_retake(struct db *db, struct partition *partition, const char *owner, struct error *err)
{
	return raise_epoch(db, partition, partition->epoch, owner, err);
}

bool
partition_reread(struct db *db, struct partition_name name, int64_t first_offset, const char *reason, struct instant now,
    const char *by, struct error *err)
{
	struct arena arena = {0};
	bool fine = db_change(db, SQL_LEDGER_PARTITION_CLOSE,
	    PARAMS(name.cluster, name.topic, param_number(&arena, name.number), param_instant(&arena, now), by, reason), -1, err);
	struct partition opened;

	fine = fine && find_or_open(db, name, first_offset, now, by, &opened, err);
	arena_release(&arena);
	return fine;
}

/* --- between batches -------------------------------------------------------------------------- */

static const char *
param_known(struct arena *arena, int64_t offset)
{
	return offset < 0 ? NULL : param_number(arena, offset);
}

bool
partition_note(
    struct db *db, const struct partition *partition, const struct partition_ends *ends, struct instant now, struct error *err)
{
	struct arena arena = {0};
	struct rows rows;
	bool fine = db_rows(db, SQL_LEDGER_PARTITION_NOTE,
	    PARAMS(param_number(&arena, partition->partition_id), param_number(&arena, partition->epoch),
		param_number(&arena, partition->clear_offset), param_known(&arena, ends->end), param_known(&arena, ends->stable),
		ends->held ? param_instant(&arena, ends->held_since) : NULL, param_instant(&arena, now)),
	    &rows, err);

	if (fine) {
		fine = rows.count == 1 || lost(partition, err);
		rows_release(&rows);
	}
	arena_release(&arena);
	return fine;
}

/* --- incidents -------------------------------------------------------------------------------- */

static const struct {
	const char *kind, *what;
} incidents[] = {
    [INCIDENT_RECORDS_DELETED] = {"records_deleted", "it begins behind what was read, so records were deleted unread"},
    [INCIDENT_TOPIC_SHORTER] = {"topic_shorter", "it ends before what was read, so it was made anew or has lost records"},
    [INCIDENT_TOPIC_REPLACED] = {"topic_replaced", "it has another record there than the one booked, so it was made anew"},
    [INCIDENT_OFFSET_OUT_OF_RANGE] = {"offset_out_of_range", "the broker does not have the offset to be read next"},
};

bool
partition_incident(struct db *db, const struct partition *partition, enum incident incident, int64_t expected, int64_t found,
    struct instant now, const char *by, struct error *err)
{
	struct arena arena = {0};
	bool noted = db_change(db, SQL_LEDGER_INCIDENT_ADD,
	    PARAMS(param_number(&arena, partition->partition_id), incidents[incident].kind, param_number(&arena, expected),
		param_number(&arena, found), param_instant(&arena, now), by),
	    -1, err);

	arena_release(&arena);
	if (!noted)
		return false;
	error_set(err, ERROR_STATE, "%s[%d] is not what it was: %s", partition->name.topic, (int)partition->name.number,
	    incidents[incident].kind);
	error_detail(
	    err, "Expected offset %lld, found %lld: %s.", (long long)expected, (long long)found, incidents[incident].what);
	return error_hint(err,
	    "What was read is booked and stays.  Find out what happened (docs/operations.md); then read again from the topic's "
	    "beginning, which books nothing twice: tollbook consume --again --reason TEXT");
}

/* --- in a batch's transaction ----------------------------------------------------------------- */

static int
compare_ranges(const void *one, const void *two)
{
	const struct batch_range *const *a = one, *const *b = two;

	return ((*a)->partition->partition_id > (*b)->partition->partition_id) -
	    ((*a)->partition->partition_id < (*b)->partition->partition_id);
}

void
ranges_text(const struct batch_range *ranges, size_t count, struct text *out)
{
	const struct batch_range **sorted = memory_new(count, sizeof *sorted);

	for (size_t i = 0; i < count; i++)
		sorted[i] = &ranges[i];
	qsort(sorted, count, sizeof *sorted, compare_ranges);
	for (size_t i = 0; i < count; i++)
		text_add_format(out, "%lld:%lld-%lld=%lld/%lld/%lld/%lld/%lld/%lld;",
		    (long long)sorted[i]->partition->partition_id, (long long)sorted[i]->first_offset,
		    (long long)sorted[i]->next_offset, (long long)sorted[i]->counts.records,
		    (long long)sorted[i]->counts.accepted, (long long)sorted[i]->counts.duplicates,
		    (long long)sorted[i]->counts.ignored, (long long)sorted[i]->counts.quarantined,
		    (long long)sorted[i]->counts.rejected);
	free(sorted);
}

/* An array parameter under construction: "{1,2,NULL". */
static void
array_add(struct text *array, const char *value)
{
	text_add_string(array, array->length == 0 ? "{" : ",");
	text_add_string(array, value == NULL ? "NULL" : value);
}

enum range_column { ID, EPOCH, FIRST, NEXT, LAST, LAST_DIGEST, EVENT_TIME, END, STABLE, HELD_SINCE, RANGE_COLUMNS };
enum count_column { RECORDS, ACCEPTED, DUPLICATES, IGNORED, QUARANTINED, REJECTED, SET_ASIDE, COUNT_COLUMNS };

static const char *
param_array(struct text *array)
{
	text_add_string(array, "}");
	return text_string(array);
}

static void
add_range(struct text *columns, struct text *counted, const struct batch_range *range, struct arena *arena)
{
	const int64_t counts[COUNT_COLUMNS] = {range->counts.records, range->counts.accepted, range->counts.duplicates,
	    range->counts.ignored, range->counts.quarantined, range->counts.rejected,
	    range->counts.quarantined + range->counts.rejected};
	/* In an array literal a backslash is doubled. */
	const char *last_digest = arena_format(arena, "\"\\%s\"", param_hex(arena, range->last_digest, DIGEST_SIZE));

	array_add(&columns[ID], param_number(arena, range->partition->partition_id));
	array_add(&columns[EPOCH], param_number(arena, range->partition->epoch));
	array_add(&columns[FIRST], param_number(arena, range->first_offset));
	array_add(&columns[NEXT], param_number(arena, range->next_offset));
	array_add(&columns[LAST], param_number(arena, range->last_offset));
	array_add(&columns[LAST_DIGEST], last_digest);
	array_add(&columns[EVENT_TIME], range->last_event_time.us == 0 ? NULL : param_instant(arena, range->last_event_time));
	array_add(&columns[END], param_known(arena, range->ends.end));
	array_add(&columns[STABLE], param_known(arena, range->ends.stable));
	array_add(&columns[HELD_SINCE], range->ends.held ? param_instant(arena, range->ends.held_since) : NULL);
	for (int i = 0; i < COUNT_COLUMNS; i++)
		array_add(&counted[i], param_number(arena, counts[i]));
}

static bool
has_moved(const struct rows *moved, int64_t partition_id)
{
	for (int i = 0; i < moved->count; i++)
		if (row_number(moved, i, 0) == partition_id)
			return true;
	return false;
}

/* `moved` has not all of them: the error names one that is not there. */
static bool
lost_one(const struct batch_range *ranges, const struct rows *moved, struct error *err)
{
	size_t at = 0;

	while (has_moved(moved, ranges[at].partition->partition_id))
		at++;
	return lost(ranges[at].partition, err);
}

static bool
move_partitions(struct db *db, const struct batch_range *ranges, size_t count, struct text *columns, struct text *counted,
    const char *batch, const char *now, struct error *err)
{
	struct rows rows;
	bool fine;

	if (!db_rows(db, SQL_LEDGER_RANGES_ADVANCE,
		PARAMS(param_array(&columns[ID]), param_array(&columns[EPOCH]), param_array(&columns[FIRST]),
		    param_array(&columns[NEXT]), param_array(&columns[LAST]), param_array(&columns[LAST_DIGEST]),
		    param_array(&columns[EVENT_TIME]), param_array(&columns[END]), param_array(&columns[STABLE]),
		    param_array(&columns[HELD_SINCE]), param_array(&counted[RECORDS]), param_array(&counted[DUPLICATES]),
		    param_array(&counted[SET_ASIDE]), batch, now),
		&rows, err))
		return false;
	fine = (size_t)rows.count == count || lost_one(ranges, &rows, err);
	rows_release(&rows);
	return fine;
}

bool
ranges_book(
    struct db *db, const struct batch_range *ranges, size_t count, int64_t batch_id, struct instant now, struct error *err)
{
	struct text columns[RANGE_COLUMNS] = {0}, counted[COUNT_COLUMNS] = {0};
	struct arena arena = {0};
	const char *batch = param_number(&arena, batch_id);
	bool fine;

	for (size_t i = 0; i < count; i++)
		add_range(columns, counted, &ranges[i], &arena);
	fine = move_partitions(db, ranges, count, columns, counted, batch, param_instant(&arena, now), err) &&
	    db_change(db, SQL_LEDGER_RANGES_ADD,
		PARAMS(batch, text_string(&columns[ID]), text_string(&columns[FIRST]), text_string(&columns[NEXT]),
		    text_string(&counted[RECORDS]), param_array(&counted[ACCEPTED]), text_string(&counted[DUPLICATES]),
		    param_array(&counted[IGNORED]), param_array(&counted[QUARANTINED]), param_array(&counted[REJECTED])),
		(int64_t)count, err);
	for (size_t i = 0; i < RANGE_COLUMNS; i++)
		text_release(&columns[i]);
	for (size_t i = 0; i < COUNT_COLUMNS; i++)
		text_release(&counted[i]);
	arena_release(&arena);
	return fine;
}

void
ranges_booked(const struct batch_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct partition *partition = ranges[i].partition;

		partition->next_offset = partition->clear_offset = ranges[i].next_offset;
		partition->last_offset = ranges[i].last_offset;
		memcpy(partition->last_digest, ranges[i].last_digest, DIGEST_SIZE);
	}
}
