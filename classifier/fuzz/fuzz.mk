# SPDX-License-Identifier: Apache-2.0
# The fuzzers: fuzz/NAME_fuzz.c is a target, fuzz/corpus/NAME has its inputs. `test-fuzz` replays what
# is kept, by any compiler and in the agent's loop; `fuzz` hunts by libFuzzer.
FUZZ_SECONDS ?= 20
FUZZ_CC ?= $(firstword $(shell command -v clang; command -v clang-14))
FUZZERS := $(patsubst fuzz/%_fuzz.c,%,$(wildcard fuzz/*_fuzz.c))
FUZZ_INCLUDES := -I. -I../agent

build/test/fuzz/%.o: fuzz/%.c $(HEADERS) ../agent/fuzz/fuzz.h Makefile fuzz/fuzz.mk
	@mkdir -p $(@D)
	$(CC) $(NATIVE) -c $< -o $@

build/test/loop.o: ../agent/fuzz/loop.c ../agent/fuzz/fuzz.h Makefile fuzz/fuzz.mk
	@mkdir -p $(@D)
	$(CC) $(NATIVE) -c $< -o $@

build/fuzz/replay/%: build/test/fuzz/%_fuzz.o build/test/loop.o $(LIBRARY:%=build/test/%)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $^ -o $@

build/fuzz/hunt/%: fuzz/%_fuzz.c $(filter-out src/program/% src/kernel/%,$(SOURCES)) \
		$(READERS:%=$(AGENT)/%) $(HEADERS)
	@mkdir -p $(@D)
	$(FUZZ_CC) -std=gnu11 -g -O1 $(SANITIZE) -fsanitize=fuzzer $(WARNINGS) $(CPPFLAGS) \
		$(FUZZ_INCLUDES) $(filter %.c,$^) -o $@

fuzz-build: $(FUZZERS:%=build/fuzz/hunt/%)

# Each prints a line of TAP; the output is shown where it failed.
test-fuzz: $(FUZZERS:%=replay-%)
replay-%: build/fuzz/replay/%
	@if $< -draw=300 fuzz/corpus/$* >$<.log 2>&1; then echo "ok - fuzz: kept inputs of $*"; \
		else cat $<.log; echo "not ok - fuzz: kept inputs of $*"; exit 1; fi

fuzz: $(FUZZERS:%=hunt-%)
hunt-%: build/fuzz/hunt/%
	@mkdir -p build/fuzz/corpus/$* build/fuzz/crash
	@if $< -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -artifact_prefix=build/fuzz/crash/$*- \
		build/fuzz/corpus/$* $(wildcard fuzz/corpus/$*) >$<.log 2>&1; \
		then echo "ok - fuzz: hunt of $*, $$(sed -n 's/^#\([0-9]*\).*DONE *cov: \([0-9]*\).*/\1 inputs, \2 edges/p' $<.log)"; \
		else cat $<.log; echo "not ok - fuzz: hunt of $*"; exit 1; fi

.PHONY: fuzz-build test-fuzz fuzz
