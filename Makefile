# Front door. `make` builds build/kith; `make demo` and `make test` do everything from a fresh machine.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
.DEFAULT_GOAL := build
.PHONY: tests check witness proofs build lab install-lab install package test-package wheel docs setup demo demo-cluster paper test test-python peers test-trino lint bench fuzz asan tsan nightly clean

build:
	@./setup build
	@cmake --preset release -DKITH_TESTS=OFF -DKITH_PYTHON=OFF $(QUIET) && ninja -C build -j $(JOBS) kith

# The laboratory, build/kith-lab: experiments of the papers, attacks, comparisons. kith runs it for its verbs where it is beside kith or in the PATH.
lab:
	@./setup build
	@cmake --preset release -DKITH_TESTS=OFF -DKITH_PYTHON=OFF -DKITH_LAB=ON $(QUIET) && ninja -C build -j $(JOBS) kith kith-lab

install-lab: lab
	@cmake --install build --prefix $(PREFIX) --component lab $(QUIET)

# Program, library, headers and what find_package(kith) needs; DESTDIR is obeyed.
install: build
	@ninja -C build -j $(JOBS) kith_library
	@cmake --install build --prefix $(PREFIX) $(QUIET)

# build/package/kith_VERSION_ARCHITECTURE.deb
package: build
	@./setup package
	@ninja -C build -j $(JOBS) kith_library
	@cd build && cpack $(QUIET) && ls -1sh package/*.deb

# Installs it into a fresh Debian root and asks a first question there; needs root.
test-package: package
	@tests/package/fresh_root "$$(ls -1t build/package/*.deb | head -n 1)"

setup:
	@./setup build test browser lint bench

demo: build
	@./setup demo
	@examples/twins/demo

# The demo's questions on its own Trino cluster: a coordinator and two workers on this machine.
TRINO ?= third_party/trino
demo-cluster: build
	@./setup demo trino
	@tests/trino/get_trino $(TRINO)
	@tests/trino/with_trino $(TRINO) examples/twins/demo_cluster

# Every figure of the papers, with the data of DATA or KITH_DATA, or without them with stand-ins that say so; what is already there is not made again.
# OPTIONS are those of kith experiment, such as --repetitions 100. Then pictures of all, which need matplotlib.
DATA ?= $(KITH_DATA)
FIGURES ?= paper
KITH ?= build/kith
LABEL ?= $(shell git describe --always --dirty 2> /dev/null || echo an unknown commit)
paper: lab
	@./setup paper
	@$(KITH) experiment all --brief --output $(FIGURES) $(if $(DATA),--data "$(DATA)") \
	  --label "$(LABEL)" $(OPTIONS)
	@lab/figures/draw.py $(FIGURES)

# What takes longer than the core: brute force, the blind test in all worlds, every end-to-end script and document, PostgreSQL, statistics, the proofs, and the
# built program against them. `.ci/run` runs it after the core.
CHECK_DEPTH := KITH_ALL_FIGURES=1 KITH_BLIND_ROUNDS=2 KITH_BOUND_CASES=1500 KITH_BRUTEFORCE_CASES=60 KITH_FREE_CASES=30 KITH_JOINT_CASES=40 KITH_KILLS=20 KITH_LARGE_CASES=10 \
  KITH_PER_UNIT_CASES=40 KITH_ROW_CASES=600 KITH_STAGE_CASES=75
check: tests proofs
	@$(CHECK_DEPTH) tools/run_tests build check

# The core of everything: units, golden questions, the blind test in one world, crash tests in few steps, a script for each front end, the browser.
test: tests
	@tools/run_tests build core

# The browser, which is large and needed last, comes while the build runs.
TEST_TIMEOUT ?= 1200
tests:
	@./setup build test
	@cmake --preset release -DKITH_TESTS=ON -DKITH_PYTHON=OFF -DKITH_TEST_TIMEOUT=$(TEST_TIMEOUT) $(QUIET)
	@./setup browser & browser=$$!; ninja -C build -j $(JOBS) && wait $$browser

# The Python package, installed by pip into its own virtual environment from what is built here, with its notebooks; what it needs is
# fetched from PyPI by name. Not part of make test.
PYTHON ?= python3
test-python:
	@./setup build test python
	@python/test $(PYTHON) $(JOBS)

# build/wheel/kith-*manylinux*.whl, with all libraries inside; then imported and asked a question in a fresh virtual environment.
wheel:
	@./setup build test python
	@python/make_wheel $(PYTHON)

# kith and seven other libraries side by side (docs/guide/peers.md): environments from PyPI in build-peers/, 3 GB; hours for everything. PEERS are
# options of bench/peers/runner.py, such as --rows 10000 --seconds 600; what was run is kept and not run again.
PEERS ?=
peers: build
	@./setup python peers
	@PYTHON=$(PYTHON) bench/peers/run $(PEERS)

# Trino and a Java runtime (fetched by package name, 590 MB), a coordinator and two workers on loopback; not part of make test.
test-trino:
	@./setup build test trino
	@tests/trino/get_trino $(TRINO)
	@cmake --preset release -DKITH_TESTS=ON -DKITH_TRINO=$(abspath $(TRINO)) $(QUIET) && ninja -C build -j $(JOBS) kith kith_blind golden_tests trino_tests query_bruteforce_property_tests
	@ctest --test-dir build -C trino -L trino --output-on-failure

# Everything that kith says in fixed worlds with fixed noise (tests/witness), in one file; a change that should change nothing leaves it equal to that of
# another build: make witness, keep build/witness.txt, change, make witness BEFORE=the kept file.
BEFORE ?=
witness:
	@./setup build test
	@cmake --preset release -DKITH_TESTS=ON -DKITH_PYTHON=OFF $(QUIET) && ninja -C build -j $(JOBS) kith_blind blind_data
	@tests/witness/witness.py build build/witness.txt $(BEFORE)

# The guarantee, checked by machine (proofs/README.md): all proofs, what they rest on, that the check itself sees planted faults, and that the program
# computes what was proved, if it is built.
proofs:
	@./setup proofs
	@$(MAKE) --no-print-directory -C proofs -j $(JOBS)
	@tools/check_proofs.py --self-test
	@tools/check_proofs.py
	@if [ -x $(KITH) ]; then tests/proofs/vectors.py $(KITH) && tests/proofs/witnesses.py $(KITH); \
	  else echo "proofs: there is no $(KITH) (make builds it): not compared with the program"; fi
	@if [ -x $(dir $(KITH))tests/write_statements ]; then tests/proofs/statements.py $(dir $(KITH))tests/write_statements; \
	  else echo "proofs: there is no write_statements (make tests builds it): statements are not compared with the checker"; fi

lint:
	@./setup lint
	@tools/lint

# All documents as a website with a search: build/site/index.html (lint makes it too).
docs:
	@./setup lint
	@tools/site.py

bench:
	@./setup build bench
	@cmake --preset bench $(QUIET) && ninja -C build-bench -j $(JOBS)
	@bench/run build-bench

fuzz:
	@./setup build fuzz
	@cmake --preset fuzz $(QUIET) && ninja -C build-fuzz -j $(JOBS)
	@fuzz/run build-fuzz

asan tsan:
	@./setup build test browser
	@cmake --preset $@ $(QUIET) && ninja -C build-$@ -j $(JOBS)
	@tools/run_tests build-$@

# Everything with a fresh seed and deeper: tests that try few cases in make test try enough to take hours. Then the sanitizers and a long fuzz run.
DEPTH := KITH_ALL_FIGURES=1 KITH_BLIND_ROUNDS=5 KITH_BOUND_CASES=20000 KITH_BRUTEFORCE_CASES=300 KITH_CHECKED_CASES=50000 KITH_FIELDS=5000 KITH_FREE_CASES=200 KITH_HOSTILE_CASES=2000000 KITH_JOINT_CASES=200 KITH_KILLS=200 \
  KITH_LARGE_CASES=40 KITH_MORE_TRIALS=5 KITH_MUTANT_CASES=3000 KITH_MUTANTS=200000 KITH_PER_UNIT_CASES=100 KITH_PLAN_CASES=40 KITH_REGION_TRIALS=2000 KITH_ROW_CASES=2000 \
  KITH_STAGE_CASES=1000 KITH_TABLES_CASES=1500
nightly:
	@$(MAKE) tests proofs TEST_TIMEOUT=14400
	@KITH_SEED=$$(date +%s) $(DEPTH) tools/run_tests build
	@$(MAKE) asan fuzz

clean:
	rm -rf build build-*

QUIET := > /dev/null
