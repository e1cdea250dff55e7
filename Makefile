# SPDX-License-Identifier: Apache-2.0
# The front door. What is missing is installed first (setup/install); `make` alone lists the targets.

# Everything here is one thing after another; the agent's own Makefile builds in parallel.
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
PYTHON := .venv/bin/python
# As a folder below sees it: a recipe would take the spaces of a whole path for its own.
ZIG    := ../$(PYTHON) -m ziglang
STAGE  ?=
CHANGED ?=
PART   ?=
RETRY  ?=
BENCH  ?= lab traffic pacing
HUNT_SECONDS ?= 60
FOLDER ?=
ONE_IN ?= 10
SEED   ?= 1
MAN    ?= .venv/share/man/man1
URL    ?=

.PHONY: help setup dist deb release run test test-long test-guests lint bench traffic fuzz mutate findings lock agent counters algorithms classifier man docs pictures clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

dist: ## build dist/: wheels for both testers and for readers, the sources, what is in them, checksums
	@setup/install zig
	@setup/dist

deb: dist ## build a package for this machine's Debian of what is in dist/
	@setup/deb

release: ## check all, build all, and make the tag of this version: make release URL=ADDRESS
	@setup/install test
	@setup/release '$(URL)'

setup: ## install what `make run` needs, and build this machine's agent
	@setup/install run

run: setup ## measure this machine's own kernel in the built-in lab
	@.venv/bin/gatemark run quick

# CHANGED=1: what is not committed; CHANGED=COMMIT: what differs from it.
SOME = $(if $(CHANGED),--changed $(patsubst 1,HEAD,$(CHANGED))) $(if $(PART),--part) $(RETRY) $(STAGE)

test: ## run the tests, one stage (STAGE=unit), or those that a change can break (CHANGED=1)
	@setup/install test
	@$(PYTHON) tests/run.py $(SOME)

test-long: ## run the tests that `make test` leaves out, or CI's part of them (PART=1)
	@setup/install long
	@$(PYTHON) tests/run.py --long $(SOME)

test-guests: ## run the long tests on virtual gateways, boxes and OpenWrt's own userland
	@setup/install long
	@MINUTES=360 $(PYTHON) tests/run.py --guests $(SOME)

lint: ## ruff, mypy, clang-format, clang-tidy, shellcheck
	@setup/install lint
	@$(PYTHON) tests/run.py lint
	@STATES=225000 $(PYTHON) tests/run.py --long lint

bench: ## run the programs in benchmarks/, or one: make bench BENCH=traffic
	@setup/install bench
	@set -e; for name in $(BENCH); do $(PYTHON) -m benchmarks.$$name; done

traffic: setup ## capture real programs as labelled features, an hour: make traffic OUT=FOLDER
	@$(PYTHON) -m benchmarks.captures $(or $(OUT),traffic)

fuzz: ## feed the parsers in C with nonsense (FUZZ_SECONDS each), and hunt for examples that break a property
	@setup/install fuzz
	@set -e; for folder in agent algorithms classifier; do \
		$(MAKE) -C $$folder fuzz ZIG="$(ZIG)"; done
	@until=$$(($$(date +%s) + $(HUNT_SECONDS))); while [ $$(date +%s) -lt $$until ]; do \
		$(PYTHON) -m pytest tests/unit -n 2 --hypothesis-profile=hunt || exit; done

mutate: ## find tests that could not fail, of one folder: make mutate FOLDER=judge
	@setup/install mutate
	@$(PYTHON) tests/mutate.py $(FOLDER:%=--folder %) --one-in $(ONE_IN) --seed $(SEED)

findings: ## run the scripts of findings/: what tools of others do otherwise than expected
	@set -e; for script in findings/*.sh; do echo "$$script"; sh "$$script"; done

lock: ## renew setup/lock: exact versions of all packages, with hashes
	@setup/renew

agent: ## build the agent for every processor
	@setup/install zig
	@$(MAKE) -C agent install-cross ZIG="$(ZIG)"

counters: ## renew what is made of agent/counters.toml, and the BPF objects that are kept
	@setup/install zig
	@$(MAKE) -C agent counters objects PYTHON=../$(PYTHON) ZIG="$(ZIG)"

algorithms: ## build the program that times algorithms for every processor, at every level
	@setup/install zig
	@$(MAKE) -C algorithms install-levels ZIG="$(ZIG)"

classifier: ## build the program that classifies captures for every processor
	@setup/install zig
	@$(MAKE) -C classifier install-cross ZIG="$(ZIG)"

man: ## write the man pages: `man gatemark` finds them where .venv/bin is in PATH
	@setup/install run
	@setup/man $(MAN)

docs: ## build the site of the documents, with a search, in site/
	@setup/install run
	@setup/site

pictures: ## take the pictures of docs/pictures: make pictures RUN=DIRECTORY
	@setup/install test
	@$(PYTHON) docs/pictures.py $(RUN)

clean: ## remove what was built, .venv too; runs stay
	@$(MAKE) -s -C agent clean
	@$(MAKE) -s -C algorithms clean
	@$(MAKE) -s -C classifier clean
	@$(MAKE) -s -C counter clean
	@rm -rf .venv .hypothesis .mypy_cache .pytest_cache .ruff_cache .tests dist mutants site
	@rm -rf src/gatemark/agents src/gatemark/algorithms src/gatemark/classifiers
	@find . -name __pycache__ -prune -exec rm -rf {} +
