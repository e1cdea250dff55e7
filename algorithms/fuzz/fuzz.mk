# SPDX-License-Identifier: Apache-2.0
# The fuzzers: fuzz/fuzz_NAME.c is a target, fuzz/corpus/NAME keeps inputs that were at fault or that
# reach something new. `test-fuzz` replays what is kept, by any compiler; `fuzz` hunts by libFuzzer.
FUZZ_SECONDS ?= 20
FUZZ_CC ?= $(firstword $(shell command -v clang; command -v clang-14))
FUZZERS := $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))
FUZZ_FLAGS := -std=c99 -g -O1 $(SANITIZE) $(WARNINGS) $(CPPFLAGS) -I. -DGM_FLAGS='"-O1"' \
	-fsanitize=fuzzer-no-link
FUZZ_LIBRARY := $(call sources_of,$(HOST),$(LIBRARY))

build/fuzz/replay/%: build/test/fuzz/fuzz_%.o build/test/fuzz/loop.o \
		$(FUZZ_LIBRARY:%.c=build/test/%.o) $(READERS:%=build/test/%)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $^ -o $@

build/fuzz/objects/%.o: %.c $(HEADERS) $(wildcard fuzz/*.h) Makefile fuzz/fuzz.mk
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_FLAGS) $(call extra_of,$<) -c $< -o $@

build/fuzz/objects/agent/%.o: ../agent/src/%.c $(HEADERS) Makefile fuzz/fuzz.mk
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_FLAGS) $(agent_flags) -c $< -o $@

build/fuzz/hunt/%: build/fuzz/objects/fuzz/fuzz_%.o $(FUZZ_LIBRARY:%.c=build/fuzz/objects/%.o) \
		$(READERS:%=build/fuzz/objects/%)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(SANITIZE) -fsanitize=fuzzer $^ -o $@

fuzz-build: $(FUZZERS:%=build/fuzz/hunt/%)

# Each prints a line of TAP; libFuzzer's own output is shown where it failed.
test-fuzz: $(FUZZERS:%=replay-%)
replay-%: build/fuzz/replay/%
	@if $< fuzz/corpus/$* >$<.log 2>&1; then echo "ok - fuzz: kept inputs of $*"; \
		else cat $<.log; echo "not ok - fuzz: kept inputs of $*"; exit 1; fi

fuzz: $(FUZZERS:%=hunt-%)
hunt-%: build/fuzz/hunt/%
	@mkdir -p build/fuzz/corpus/$* build/fuzz/crash
	@if $< -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -artifact_prefix=build/fuzz/crash/$*- \
		build/fuzz/corpus/$* $(wildcard fuzz/corpus/$*) >$<.log 2>&1; \
		then echo "ok - fuzz: hunt of $*, $$(sed -n 's/^#\([0-9]*\).*DONE *cov: \([0-9]*\).*/\1 inputs, \2 edges/p' $<.log)"; \
		else cat $<.log; echo "not ok - fuzz: hunt of $*"; exit 1; fi

# Keeps of what a hunt found as few inputs as reach the same.
fuzz-merge: $(FUZZERS:%=merge-%)
merge-%: build/fuzz/hunt/%
	@mkdir -p build/fuzz/corpus/$* fuzz/corpus/$*
	@$< -merge=1 -max_len=4096 fuzz/corpus/$* build/fuzz/corpus/$*

.PHONY: fuzz-build test-fuzz fuzz fuzz-merge
