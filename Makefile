# `make demo` shows loopwright on the demo, `make test` runs every test. Both install what they need if they may,
# else they print what to install.
#
#   make demo       builds, runs `loopwright advise` on demo/lbm, prints the next steps, tries the advice
#   make test       every test; a test that would skip fails
#   make lint       formatting, clippy, licences and sources of dependencies
#   make docs       API documentation (`make test` follows the links and runs the commands of docs/ and README.md)
#   make ui         the page of HTML reports, ui/dist/index.html, and packed in the crate that carries it
#   make python     the tests of the Python package, with the extension of the workspace's build
#   make wheel      the Python package, installed by pip in a virtual environment and tested there
#   make browser    compares the page with the JSON in a real browser
#   make conformance  programs natively, counted, traced, injected and surveyed: prints differences (an hour; CONFORMANCE="--part go")
#   make speed      how fast a page of 20,000 loops opens, sorts and filters (on a quiet machine)
#   make costs      checks the time that `advise` takes beyond the program's own runs (on a quiet machine)
#   make casebook   every case of the casebook: built, verified, measured, compared with the advice (about 15 minutes)
#   make advice-score  scores the advice on the pairs of corpus/ (about 40 minutes; SCORE="--half open NAME ..")
#   make causes     how often `bottlenecks` is right on the loops of known cause of causes/ (about an hour; CAUSES="--busy 1 NAME ..")
#   make chapters   the same, recorded as the chapters of docs/casebook/
#   make picture    the pictures of a real report in README.md and docs/
#   make emulated   the kernels' tests for processors of several kinds, most emulated by qemu (about half an hour)
#   make fuzz       every fuzz target for FUZZ_SECONDS (60) each
#   make kernels-install PREFIX=DIR     the kernel library for C and C++, with pkg-config and CMake files
#   make static     a static executable, target/x86_64-unknown-linux-musl/release/loopwright
#   make dist       the release archive under target/dist: executable (15 MB), manual pages, completions

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

LOOPWRIGHT := target/release/loopwright
EXPERIMENT := target/demo/lbm.lw
REPORT := target/demo/lbm.html
FUZZ_SECONDS ?= 60
# The trial at the end of the demo: its experiment, its longest time, and the time steps of a run. Where it does not work its own
# message says why, and the demo goes on.
TRIAL := $(CURDIR)/target/demo/try.lw
TRIAL_BUDGET ?= 40s
TRIAL_STEPS ?= 300
# Options of the comparison: parts, seeds, modes (target/release/loopwright-conformance run --help).
CONFORMANCE ?=
# Seconds that a case may take beyond its minimum number of rounds.
CASE_SECONDS ?= 25

# The sources of the page; `npm ci` installs exactly the versions of the lock file.
PAGE := crates/report/page/index.html.gz
PAGE_SOURCES := $(shell find ui/src -type f ! -name '*.test.ts*') ui/index.html ui/vite.config.ts ui/tsconfig.json
NPM := npm --prefix ui --silent

CASES := target/casebook

# Options and pairs of the score, options and programs of the loops of known cause.
SCORE ?=
CAUSES ?=

.PHONY: all advice-score casebook causes chapters conformance costs demo emulated test rust rust-tool rust-rest python wheel kernels-install lint lint-page lint-rust docs ui browser speed picture fuzz static dist clean release

all: release

release: $(PAGE)
	cargo build --release --locked -p loopwright

ui: $(PAGE)

ui/node_modules/.package-lock.json: ui/package.json ui/package-lock.json
	@.ci/install ui
	$(NPM) ci
	@touch $@

$(PAGE): ui/node_modules/.package-lock.json $(PAGE_SOURCES)
	$(NPM) run build
	@touch $@

demo:
	@.ci/install demo
	$(MAKE) --no-print-directory release
	mkdir -p $(dir $(EXPERIMENT))
	rm -rf $(EXPERIMENT) $(TRIAL)*
	$(LOOPWRIGHT) --experiment $(TRIAL) build -- $(MAKE) --no-print-directory -C demo/lbm --always-make \
	    || $(MAKE) --no-print-directory -C demo/lbm
	$(LOOPWRIGHT) --experiment $(EXPERIMENT) advise --deep -- demo/lbm/lbm
	$(LOOPWRIGHT) --quiet --experiment $(EXPERIMENT) report --html $(REPORT)
	@echo
	@echo "The report is in $(REPORT): open it in a browser."
	@echo "The experiment is in $(EXPERIMENT). Look further with:"
	@echo "  export LOOPWRIGHT_EXPERIMENT=$(EXPERIMENT)"
	@echo "  $(LOOPWRIGHT) show                    the loops and functions"
	@echo "  $(LOOPWRIGHT) show source             the source of the hottest loop with samples and remarks"
	@echo "  $(LOOPWRIGHT) show asm                its instructions"
	@echo "  $(LOOPWRIGHT) show map                how the hottest loops use memory"
	@echo "  $(LOOPWRIGHT) show dependencies       their loop-carried dependences"
	@echo "  $(LOOPWRIGHT) explain                 every reason why loops are not vectorised"
	@echo "Then your own program:  $(LOOPWRIGHT) advise -- ./your_program"
	@echo "About the demo: demo/README.md, step by step: docs/tutorial.md"
	@echo
	@echo "The advice that can be carried out without a person, on a short run and a copy (loopwright try):"
	@cd demo/lbm && export LOOPWRIGHT_EXPERIMENT=$(TRIAL) && tool=$(abspath $(LOOPWRIGHT)) run="./lbm --steps $(TRIAL_STEPS)" \
	    && $$tool --quiet advise --no-measure -- $$run > $(TRIAL).log \
	    && $$tool --quiet try --budget $(TRIAL_BUDGET) --only advice -- $$run \
	    || echo "tried: nothing, for the reason above"

# Everything is built once; then the suites share the processors, two at a time, the longest first: tests wait for what they start,
# and cargo runs one executable of tests after the other. One that fails does not keep the others from running. Cargo's own lines are
# in the output of the Rust tests: they give the number of tests.
test: $(PAGE)
	@.ci/install test
	$(NPM) test
	cargo build --workspace --locked --all-targets
	$(MAKE) --no-print-directory --jobs=2 --keep-going --output-sync=line browser rust-rest rust-tool python

# Tests are always built for the whole workspace: any other choice has other features, and all would be built again.
RUST_TESTS := LOOPWRIGHT_REQUIRE_ALL=1 LOOPWRIGHT_TEST_PYTHON="$(CURDIR)/target/venv/bin/python3" \
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="$(CURDIR)/.ci/suite"

rust: rust-tool rust-rest

# The workbench on programs, and everything else.
rust-tool rust-rest: rust-%:
	$(RUST_TESTS) LOOPWRIGHT_SUITE=$* cargo test --workspace --locked --no-fail-fast

# The package with the extension of the workspace's build: building a wheel compiles the kernels again (`make wheel`).
python:
	@.ci/install test
	cargo build --workspace --locked --all-targets
	rm -rf target/python
	mkdir -p target/python
	cp -r python/loopwright target/python/
	cp target/debug/lib_native.so target/python/loopwright/_native.abi3.so
	PYTHONPATH="$(CURDIR)/target/python" target/venv/bin/python3 -m pytest -c python/pyproject.toml python/tests

# The package as users install it, in a virtual environment, with the same tests.
wheel:
	@.ci/install test
	rm -rf target/wheel-venv
	python3 -m venv target/wheel-venv
	target/wheel-venv/bin/python3 -m pip install --quiet --disable-pip-version-check "./python[test]"
	target/wheel-venv/bin/python3 -m pytest -c python/pyproject.toml python/tests

# The kernels' own tests on other processors than the present one: without SSE4.2, with it, without and with AVX2 and the SHA
# instructions. (qemu does not emulate AVX-512.)
EMULATED := core2duo Nehalem Westmere SandyBridge Haswell Skylake-Client-v4 EPYC-Rome max
# And on this processor, choosing for other kinds: with 512-bit vectors whole and in halves, and with fewer instructions.
CHOSEN_FOR := nehalem skylake-avx512 sapphirerapids znver2 znver4

emulated:
	@.ci/install test
	for cpu in $(EMULATED); do \
	    echo "== $$cpu"; \
	    LOOPWRIGHT_EMULATED=1 LOOPWRIGHT_KERNELS_TUNING=none \
	    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu $$cpu" \
	        cargo test --locked -p loopwright-kernels --lib --test kernels; \
	done
	for kind in $(CHOSEN_FOR); do \
	    echo "== $$kind"; \
	    LOOPWRIGHT_KERNELS_PROCESSOR=$$kind LOOPWRIGHT_KERNELS_TUNING=none \
	        cargo test --locked -p loopwright-kernels --lib --test kernels; \
	done

kernels-install:
	@test -n "$(PREFIX)" || { echo "make kernels-install PREFIX=DIR: say where, /usr/local for example" >&2; exit 2; }
	crates/kernels-c/install/install "$(PREFIX)"

# The binary under test makes the reports, of programs that are built here.
browser: $(PAGE)
	@.ci/install test
	cargo build --workspace --locked --all-targets
	$(MAKE) --no-print-directory -C demo/lbm
	LOOPWRIGHT_REQUIRE_ALL=1 LOOPWRIGHT="$(CURDIR)/target/debug/loopwright" \
	    LOOPWRIGHT_TEST_PYTHON="$(CURDIR)/target/venv/bin/python3" $(NPM) run browser

conformance: release
	@.ci/install conformance
	cargo build --release --locked -p loopwright-conformance
	target/release/loopwright-conformance run $(CONFORMANCE)

speed: release
	@.ci/install test
	cargo build --release --locked -p loopwright-report --example large_report
	LOOPWRIGHT="$(CURDIR)/$(LOOPWRIGHT)" $(NPM) run speed

lint:
	@.ci/install lint
	$(MAKE) --no-print-directory --jobs=2 --output-sync=line lint-page lint-rust

lint-page: ui/node_modules/.package-lock.json
	$(NPM) run check

lint-rust:
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	@if command -v cargo-deny >/dev/null; then cargo deny --offline check licenses bans sources; fi

docs:
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --workspace --no-deps --document-private-items --locked

casebook: release
	@.ci/install test
	$(LOOPWRIGHT) case --results $(CASES) run --budget $(CASE_SECONDS)
	$(LOOPWRIGHT) case --results $(CASES) advise --recorded
	$(LOOPWRIGHT) --quiet case --results $(CASES) report --html $(CASES)/casebook.html
	@echo "The report is in $(CASES)/casebook.html: open it in a browser."

advice-score: release
	@.ci/install test
	cargo build --release --locked -p loopwright-score
	target/release/loopwright-score run $(SCORE)

causes: release
	@.ci/install test
	cargo build --release --locked -p loopwright-score
	target/release/loopwright-score causes $(CAUSES)

chapters: casebook
	mkdir -p docs/casebook/records
	for case in $(CASES)/*/record.json; do \
	    cp "$$case" "docs/casebook/records/$$(basename "$$(dirname "$$case")").json"; \
	done
	LOOPWRIGHT_BLESS=1 cargo test --workspace --locked --test tool chapters_of_the_docs

costs: release
	cargo run --release --locked -p loopwright --example costs

picture: release
	@.ci/install picture
	$(MAKE) --no-print-directory -C demo/lbm
	rm -f target/picture.lw
	$(LOOPWRIGHT) --quiet --experiment target/picture.lw advise --deep -- demo/lbm/lbm >/dev/null
	target/venv/bin/python3 docs/picture/render.py --output docs/picture/advise.svg \
	    --title "loopwright advise --deep -- demo/lbm/lbm" -- $(LOOPWRIGHT) --experiment target/picture.lw show
	LOOPWRIGHT="$(CURDIR)/$(LOOPWRIGHT)" $(NPM) run pictures

static:
	@.ci/install static
	cargo build --release --locked --target x86_64-unknown-linux-musl -p loopwright

VERSION := $(shell sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
DELIVERY := loopwright-$(VERSION)-x86_64-linux

dist: $(PAGE)
	cargo build --profile dist --locked -p loopwright
	rm -rf target/dist/$(DELIVERY)
	mkdir -p target/dist/$(DELIVERY)/bin target/dist/$(DELIVERY)/share/man/man1 target/dist/$(DELIVERY)/share/completions
	cp target/dist/loopwright target/dist/$(DELIVERY)/bin/
	target/dist/loopwright man target/dist/$(DELIVERY)/share/man/man1
	for shell in bash zsh fish elvish powershell; do \
	    target/dist/loopwright completions $$shell >target/dist/$(DELIVERY)/share/completions/loopwright.$$shell; \
	done
	cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT target/dist/$(DELIVERY)/
	tar -C target/dist -czf target/dist/$(DELIVERY).tar.gz $(DELIVERY)
	@ls -lh target/dist/loopwright target/dist/$(DELIVERY).tar.gz

fuzz:
	@.ci/install fuzz
	cd fuzz && for target in $$(cargo +nightly fuzz list --fuzz-dir .); do \
	    cargo +nightly fuzz run --fuzz-dir . "$$target" -- -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=2048; \
	done

clean:
	cargo clean
	rm -rf ui/dist ui/node_modules ui/test-results $(PAGE)
	$(MAKE) --no-print-directory -C demo/lbm clean
