# make demo       build blitz and watch it find a bug
# make test       everything that has to hold before a change goes in; quick
# make test-long  the slow rest: native sanitizer builds of every test program, and what else takes minutes
# make dist       a stripped tarball and a Debian package in dist/
# make install    put `blitz` into cargo's bin folder
# make deps       install the system packages that are missing (the other targets do it too)

SHELL := /bin/bash
export PATH := $(HOME)/.cargo/bin:$(PATH)
CARGO ?= cargo
BLITZ := $(or $(CARGO_TARGET_DIR),target)/release/blitz

.PHONY: all build demo dist test test-long fmt clippy unit install deps deps-test clean

all: build

deps:
	@scripts/deps.sh

deps-test:
	@scripts/deps.sh --test

build: deps
	$(CARGO) build --release -p blitz

demo: build
	@scripts/demo.sh $(BLITZ)

dist: build
	@scripts/dist.sh $(BLITZ)

test: deps-test fmt clippy unit

fmt:
	$(CARGO) fmt --all --check

clippy:
	$(CARGO) clippy --workspace --all-targets -- -D warnings

# cargo-nextest runs the tests in parallel; cargo itself does as well where it is missing.
unit:
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
	    $(CARGO) nextest run --workspace --no-fail-fast; \
	else \
	    $(CARGO) test --workspace --no-fail-fast; \
	fi

test-long: deps-test fmt clippy
	BLITZ_TEST_LONG=1 $(MAKE) unit

install: deps
	$(CARGO) install --locked --path crates/cli

clean:
	$(CARGO) clean
