# tollbook: `make demo` shows it, `make check` proves it.  `make help` lists the rest.

SHELL := /bin/bash
.DEFAULT_GOAL := all

# --- what is built, and how -------------------------------------------------------------------
ifeq ($(origin CC),default)
  CC := cc
endif
PREFIX ?= /usr/local
VERSION := 0.1.0

# SANITIZE=1 builds the same program with address and undefined-behaviour sanitizers, and CC=clang with clang,
# beside the plain one.
ifeq ($(SANITIZE),1)
  BUILD := build/sanitized
  CHECKED := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else
  BUILD := $(if $(findstring clang,$(CC)),build/clang,build)
  CHECKED := -D_FORTIFY_SOURCE=2 -fstack-protector-strong
endif

ROOMS     := base ledger ingest rating reports nightly
LIBRARIES := libpq jansson libpcre2-8 libcrypto zlib libzstd libzip expat rdkafka glib-2.0
SOURCES   := tollbook.c $(sort $(foreach room,$(ROOMS),$(wildcard $(room)/*.c)))
OBJECTS   := $(SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/generated/statements.o $(BUILD)/obj/generated/formats.o
PARTS     := $(filter-out $(BUILD)/obj/tollbook.o,$(OBJECTS))
UNITS     := $(sort $(wildcard tests/unit/*/*_test.c))
FUZZERS   := $(sort $(wildcard tests/fuzz/*_fuzz.c))
SQL_FILES := $(sort $(shell find sql -name '*.sql'))
FORMATS   := $(sort $(wildcard ingest/formats/*.json))

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes \
  -Wmissing-prototypes -Wmissing-declarations -Wvla -Wfloat-equal -Wdouble-promotion -Wcast-qual \
  -Wwrite-strings -Wformat=2 -Wpointer-arith -Wundef -Wswitch-enum -Werror
# These clang does not know.
GCC_WARNINGS := -Wformat-signedness -Wduplicated-cond -Wlogical-op

CFLAGS ?= -O2 -g
FLAGS = -std=c17 -D_GNU_SOURCE -DTOLLBOOK_VERSION=\"$(VERSION)\" -I. -I$(BUILD)/generated $(WARNINGS) $(CHECKED) $(CFLAGS)
LINK = $(CC) $(CHECKED) $(CFLAGS) $(LDFLAGS)
LIBS = $$(pkg-config --libs $(LIBRARIES)) -lxlsxwriter -lcsv -lpthread
# Two jobs, unless make was told how many.
MAKE_PARTS = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j2)

# A line for each step; V=1 shows the commands.
SHOW = $(if $(V),,@printf '%-8s %s\n' '$(1)' '$(patsubst $(BUILD)/%,%,$@)' &&)

.PHONY: all
all: $(BUILD)/tollbook

$(BUILD)/tollbook: $(OBJECTS)
	$(call SHOW,link)$(LINK) -o $@ $^ $(LIBS)

# The flags stand in a file that changes only when they do, and everything compiled depends on it.  Compiler and libraries
# are asked here, not while this file is read, so that `make deps` runs on a machine that has neither.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@{ echo '$(FLAGS)' && pkg-config --cflags $(LIBRARIES) && \
	  { $(CC) --version | grep -q clang || echo $(GCC_WARNINGS); }; } >$@.new || { rm -f $@.new; exit 1; }
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
.PHONY: FORCE
FORCE:

$(BUILD)/obj/%.o: %.c $(BUILD)/flags $(BUILD)/generated/statement_ids.h
	@mkdir -p $(@D)
	$(call SHOW,compile)$(CC) @$(BUILD)/flags -MMD -MP -c -o $@ $<

$(BUILD)/obj/generated/%.o: $(BUILD)/generated/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call SHOW,compile)$(CC) @$(BUILD)/flags -Wno-overlength-strings -c -o $@ $<

# SQL is compiled in by name: one statement a file; migrations in the order of their numbers.
$(BUILD)/generated/statements.c $(BUILD)/generated/statement_ids.h &: $(SQL_FILES) sql/embed.awk
	@mkdir -p $(@D)
	$(call SHOW,embed)awk -v IDS=$(BUILD)/generated/statement_ids.h -f sql/embed.awk $(SQL_FILES) >$(BUILD)/generated/statements.c

# So are the descriptions of usage formats; the order is that of their names.
$(BUILD)/generated/formats.c: $(FORMATS) ingest/formats ingest/formats/embed.awk
	@mkdir -p $(@D)
	$(call SHOW,embed)awk -f ingest/formats/embed.awk $(FORMATS) </dev/null >$@

# --- tests ------------------------------------------------------------------------------------
$(BUILD)/parts.a: $(PARTS)
	@rm -f $@
	$(call SHOW,archive)ar rcs $@ $^

# A file of unit tests is a program, linked with everything but the front door.
$(BUILD)/tests/unit/%_test: tests/unit/%_test.c $(BUILD)/parts.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) @$(BUILD)/flags -MMD -MP -MF $@.d -o $@ $< $(BUILD)/parts.a $(LDFLAGS) $(LIBS) -lcunit

$(BUILD)/tests/bench/%: tests/bench/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) @$(BUILD)/flags -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS)

# One core and one part of the program, with nothing around it.
$(BUILD)/tests/bench/parse_formats $(BUILD)/tests/bench/sheet_rows: $(BUILD)/tests/bench/%: tests/bench/%.c $(BUILD)/parts.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(call SHOW,compile)$(CC) @$(BUILD)/flags -MMD -MP -MF $@.d -o $@ $< $(BUILD)/parts.a $(LDFLAGS) $(LIBS)

# The parts of the way from a line to an invoice, each alone: what would go to a server is taken by the program itself.
STAGES := tests/bench/stages.c tests/bench/stages_ledger.c tests/bench/stages_money.c
STAGES_WRAP := $(foreach function,event_identify SHA256_Update SHA256_Final db_copy_in_begin db_copy_in_bytes db_copy_in_end,-Wl,--wrap=$(function))
$(BUILD)/tests/bench/stages: $(STAGES) tests/bench/stages.h tests/bench/stages.def $(BUILD)/parts.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(call SHOW,compile)$(CC) @$(BUILD)/flags -o $@ $(STAGES) $(BUILD)/parts.a $(STAGES_WRAP) $(LDFLAGS) $(LIBS)

# The whole program, with a clock at the steps of booking.
PHASES := register_look register_ask register_append register_tidy batch_rows_copy db_commit handover_take_ready handover_take_free
PHASES_WRAP := $(foreach function,$(PHASES),-Wl,--wrap=$(function))
$(BUILD)/tests/bench/phases: tests/bench/phases.c $(OBJECTS) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call SHOW,compile)$(CC) @$(BUILD)/flags -MMD -MP -MF $@.d -o $@ $< $(OBJECTS) $(PHASES_WRAP) $(LDFLAGS) $(LIBS)

# What the tests do to a broker; it shares no code with the program.
$(BUILD)/tests/kafka/%: tests/kafka/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call SHOW,compile)$(CC) @$(BUILD)/flags -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS) $$(pkg-config --libs rdkafka jansson)

# A network that is cut at the worst moment.
$(BUILD)/tests/support/%: tests/support/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call SHOW,compile)$(CC) @$(BUILD)/flags -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS)

# A process that dies at the worst moment: loaded before the program, whatever that is built with.
$(BUILD)/tests/support/%.so: tests/support/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call SHOW,compile)$(CC) @$(BUILD)/flags -fno-sanitize=all -fPIC -shared -MMD -MP -MF $@.d -o $@ $< $(LDFLAGS)

.PHONY: units fuzzers kafka-tools bench-tools check check-deep lint bench bench-night bench-check
BENCH_TOOLS := generate measure parse_formats sheet_rows stages phases old_register
units: $(UNITS:%.c=$(BUILD)/%)
kafka-tools: $(BUILD)/tests/kafka/topic
bench-tools: $(BENCH_TOOLS:%=$(BUILD)/tests/bench/%)

check: deps-check
	tests/check.sh

check-deep: deps-check
	tests/check_deep.sh

lint: deps-check
	$(MAKE_PARTS) all
	tests/lint.sh

# BENCH=bench is everything that has a target, in a few minutes, with a table of the targets at its end; each of its parts alone is
# BENCH=stages, ledger, consume, scaling, rating, invoices or workbook.  BENCH=night is the nightly job of 10,000 tenants and 10 million
# events, BENCH=formats the parser of usage formats, BENCH=flat a ledger that grows.  Each script says at its head what sizes it takes.
BENCH := bench
bench: deps-check
	$(MAKE_PARTS) all bench-tools kafka-tools
	BUILD=$(BUILD) tests/bench/$(BENCH).sh
bench-night:
	$(MAKE_PARTS) bench BENCH=night

# Instructions, not seconds: the same on a busy machine.  RENEW=1 writes the baseline anew.
bench-check: deps-check
	$(MAKE_PARTS) bench-tools
	BUILD=$(BUILD) RENEW=$(RENEW) tests/bench/instructions.sh

# A fuzzer is built by clang from all sources, so that the coverage of every part guides it.
FUZZ_CHECKED := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
fuzzers:
	$(MAKE_PARTS) CC=clang BUILD=build/fuzz CHECKED='$(FUZZ_CHECKED)' $(FUZZERS:tests/fuzz/%.c=build/fuzz/tests/fuzz/%)

$(BUILD)/tests/fuzz/%: tests/fuzz/%.c $(BUILD)/parts.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) @$(BUILD)/flags -fsanitize=fuzzer -Wno-missing-prototypes -o $@ $< $(BUILD)/parts.a $(LDFLAGS) $(LIBS)

# --- to see it, to use it ---------------------------------------------------------------------
# make demo TRACES=DIR takes real traces from DIR; they are looked for beside the repository.
TRACES ?= $(wildcard ../shared/data)
.PHONY: demo install uninstall fmt clean help
demo: deps-build
	@$(MAKE_PARTS) all
	@TRACES='$(TRACES)' examples/demo.sh

# A broker of one's own on the loopback interface; what is in it stays in build/kafka/data until `make clean`.
.PHONY: kafka-up kafka-down
kafka-up: deps-kafka
	@$(MAKE_PARTS) kafka-tools
	@tests/kafka/broker up
kafka-down:
	@tests/kafka/broker down

install: all
	install -D -m 755 $(BUILD)/tollbook $(DESTDIR)$(PREFIX)/bin/tollbook
	$(BUILD)/tollbook --manual >$(BUILD)/tollbook.1
	install -D -m 644 $(BUILD)/tollbook.1 $(DESTDIR)$(PREFIX)/share/man/man1/tollbook.1
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/tollbook docs/price-book.schema.json docs/tenants.schema.json docs/roles.schema.json \
	  examples/tollbook.conf

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/tollbook $(DESTDIR)$(PREFIX)/share/man/man1/tollbook.1
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/tollbook/,price-book.schema.json tenants.schema.json roles.schema.json tollbook.conf)

fmt:
	clang-format -i $$(find $(ROOMS) tests tollbook.c -name '*.[ch]')

clean:
	rm -rf build

help:
	@echo 'make              the program: build/tollbook'
	@echo 'make demo         a month of invented usage from files to invoices and a workbook, in build/demo'
	@echo 'make check        everything that is proved on every change; last line: N passed, N failed'
	@echo 'make check-deep   what takes longer: fuzzers, gcc -fanalyzer, kill -9 again and again'
	@echo 'make lint         the rules of the house alone'
	@echo 'make bench        how fast it is, each stage beside its limit; with the targets (BENCH_EVENTS=2000000)'
	@echo 'make bench BENCH=NAME  a part of it alone: stages, ledger, consume, scaling, rating, invoices, workbook; or formats, night, flat'
	@echo 'make bench-check  instructions of each stage beside tests/bench/instructions.txt; RENEW=1 writes that anew'
	@echo 'make bench-night  what the nightly job of 10,000 tenants and 10 million events takes (BENCH_EVENTS, BENCH_TENANTS)'
	@echo 'make kafka-up     a Kafka broker to try things with; prints its address; make kafka-down stops it'
	@echo 'make deps         the Debian packages that building and checking need (deps-build: building alone)'
	@echo 'make install      to PREFIX=/usr/local (DESTDIR is honoured); make uninstall takes it away'
	@echo 'make fmt          clang-format on every C file'
	@echo 'make clean        removes build/'

# --- Debian packages --------------------------------------------------------------------------
BUILD_PACKAGES := gcc libc6-dev pkg-config postgresql libpq-dev libxlsxwriter-dev libpcre2-dev libcsv-dev libjansson-dev \
  libssl-dev zlib1g-dev libzstd-dev libzip-dev libexpat1-dev librdkafka-dev libglib2.0-dev zstd
KAFKA_PACKAGES := openjdk-17-jre-headless maven
CHECK_PACKAGES := libcunit1-dev clang libclang-rt-14-dev clang-tidy clang-format cppcheck openssl libreoffice-calc-nogui \
  python3 python3-jsonschema valgrind $(KAFKA_PACKAGES)

.PHONY: deps deps-build deps-check deps-kafka
deps: deps-check
deps-build:
	@.ci/install-packages $(BUILD_PACKAGES)
deps-kafka:
	@.ci/install-packages $(BUILD_PACKAGES) $(KAFKA_PACKAGES)
deps-check:
	@.ci/install-packages $(BUILD_PACKAGES) $(CHECK_PACKAGES)

-include $(shell find build $(BUILD) -name '*.d' 2>/dev/null)
