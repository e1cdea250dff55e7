# SPDX-License-Identifier: Apache-2.0
# The fuzzers: fuzz/NAME_fuzz.c is a target, fuzz/corpus/NAME has its inputs. There are several ways
# to build them all; in each the agent is compiled once for all targets.
FUZZ_SECONDS ?= 20
FUZZ_CC ?= $(firstword $(shell command -v clang; command -v clang-14))
FUZZERS := $(patsubst fuzz/%_fuzz.c,%,$(wildcard fuzz/*_fuzz.c))
FUZZED := $(filter-out main.o,$(OBJECTS))
FUZZ_FLAGS := -std=gnu11 -g -O1 $(WARNINGS) $(CPPFLAGS) -I.
FUZZ_HEADERS := $(HEADERS) $(wildcard fuzz/*.h) tests/test.h tests/unit/made.h Makefile fuzz/fuzz.mk

# loop: every kept input once, of the objects that the unit tests have. The others are clang's: fuzz
# with libFuzzer; memory and integer a loop again, for what only clang looks for; coverage.
STRICT := -fno-sanitize-recover=all -fno-omit-frame-pointer
checks_loop := $(SANITIZE)
checks_fuzz := -fsanitize=address,undefined $(STRICT)
checks_memory := -fsanitize=memory $(STRICT)
# Bits shifted out at the top are no fault: hashes and clocks modulo 2^40 are made so.
checks_integer := -fsanitize=undefined,integer,implicit-conversion \
	-fno-sanitize=unsigned-shift-base $(STRICT)
checks_coverage := -fprofile-instr-generate -fcoverage-mapping
compile_fuzz := -fsanitize=fuzzer-no-link
link_fuzz := -fsanitize=fuzzer
compiler = $(if $(filter loop,$(1)),$(CC),$(FUZZ_CC))
objects = $(if $(filter loop,$(1)),build/test/objects,build/fuzz/$(1)/agent)
loop = $(if $(filter fuzz,$(1)),,build/fuzz/$(1)/loop.o)

# $(1): the way
define fuzz_way
build/fuzz/$(1)/%.o: fuzz/%.c $(FUZZ_HEADERS)
	@mkdir -p $$(@D)
	$(call compiler,$(1)) $(FUZZ_FLAGS) $(checks_$(1)) $(compile_$(1)) -c $$< -o $$@

build/fuzz/$(1)/agent/%.o: src/%.c $(HEADERS) Makefile fuzz/fuzz.mk
	@mkdir -p $$(@D)
	$(call compiler,$(1)) $(FUZZ_FLAGS) $(checks_$(1)) $(compile_$(1)) \
		-DBPF_OBJECTS='"$(call folder,$(HOST))"' -c $$< -o $$@

build/fuzz/$(1)/agent/kernel/bpf_object.o: $(HOST_PROGRAMS)

build/fuzz/$(1)/%_fuzz: build/fuzz/$(1)/%_fuzz.o $(FUZZED:%=$(call objects,$(1))/%) $(call loop,$(1))
	$(call compiler,$(1)) $(checks_$(1)) $(link_$(1)) $$^ -o $$@

fuzz-$(1): $(FUZZERS:%=build/fuzz/$(1)/%_fuzz)
endef
FUZZ_WAYS := loop fuzz memory integer coverage
$(foreach way,$(FUZZ_WAYS),$(eval $(call fuzz_way,$(way))))

FUZZ_RUN = $(PYTHON) fuzz/fuzzers.py
test-fuzz: fuzz-loop
	@$(FUZZ_RUN) replay loop $(FUZZERS)
test-fuzz-memory: fuzz-memory
	@$(FUZZ_RUN) replay memory $(FUZZERS)
test-fuzz-integer: fuzz-integer
	@$(FUZZ_RUN) replay integer $(FUZZERS)

# FUZZ_SECONDS of each, or of those that FUZZ names; FUZZ_PRINTS=--tap for a program, which is not
# told what share of its lines a target reaches.
FUZZ ?= $(FUZZERS)
FUZZ_PRINTS ?=
fuzz: fuzz-fuzz $(if $(FUZZ_PRINTS),,fuzz-coverage)
	@$(FUZZ_RUN) hunt $(FUZZ_PRINTS) --seconds $(FUZZ_SECONDS) $(FUZZ)

# Keeps of what was found as few inputs as reach the same.
fuzz-merge: fuzz-fuzz
	@$(FUZZ_RUN) merge $(FUZZ)

.PHONY: fuzz fuzz-merge test-fuzz test-fuzz-memory test-fuzz-integer $(FUZZ_WAYS:%=fuzz-%)
