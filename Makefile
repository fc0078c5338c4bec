# The front door. Everything behind it is CMake (CMakePresets.json) and the scripts in tools/.
.DEFAULT_GOAL := build
.PHONY: build demo test bench fuzz pictures format tidy setup clean help

JOBS ?= $(shell nproc)
RELEASE := build/release
FUZZ_SECONDS ?= 30
LOAD_MINUTES ?= 30
SOURCES = $(shell git ls-files '*.cc' '*.h')

build: setup  ## build build/release/sinew
	@cmake --preset release >/dev/null
	cmake --build $(RELEASE) --target sinew -j $(JOBS)

demo: build  ## simulate motions on both engines and retarget others; ends with a table and a report
	@tools/demo $(RELEASE)/sinew out/demo

test: setup  ## build everything with warnings as errors and run all tests
	@tools/setup browser
	@cmake --preset release >/dev/null
	cmake --build $(RELEASE) -j $(JOBS)
	ctest --test-dir $(RELEASE) --output-on-failure -j $(JOBS)

bench: setup  ## measure the speed of import, retargeting, simulation and reconstruction; simulate 1,000 random characters; LOAD_MINUTES (30) of the studio
	@cmake --preset release >/dev/null
	cmake --build $(RELEASE) -j $(JOBS)
	@for program in $(RELEASE)/bench/*_bench; do echo "== $$program"; "$$program" || exit 1; done
	@tools/setup browser
	@echo "== the studio's page"; SINEW_BINARY=$(CURDIR)/$(RELEASE)/sinew node web/tests/feel.mjs
	@echo "== the studio's gallery"; SINEW_BINARY=$(CURDIR)/$(RELEASE)/sinew node web/tests/gallery.mjs
	@echo "== the studio for $(LOAD_MINUTES) minutes"; SINEW_BINARY=$(CURDIR)/$(RELEASE)/sinew LOAD_MINUTES=$(LOAD_MINUTES) node web/tests/load.mjs

fuzz:  ## fuzz every text importer for FUZZ_SECONDS (30) with clang's libFuzzer
	@tools/setup build fuzz
	@cmake --preset fuzz >/dev/null
	cmake --build build/fuzz --target fuzz/all -j $(JOBS)
	@tools/fuzz build/fuzz/fuzz $(FUZZ_SECONDS)

pictures: build  ## make the pictures of the documentation again
	@tools/pictures $(RELEASE)/sinew docs/images
	@tools/setup browser
	@SINEW_BINARY=$(CURDIR)/$(RELEASE)/sinew node web/tests/pictures.mjs

format:  ## lay out all sources by .clang-format
	@tools/setup format
	@clang-format -i $(SOURCES)

tidy:  ## ask clang-tidy about all sources
	@tools/setup build format
	@cmake --preset release >/dev/null
	@run-clang-tidy -quiet -extra-arg=-Wno-unknown-warning-option -p $(RELEASE) "$(CURDIR)/src/.*"

setup:
	@tools/setup build

clean:  ## remove everything that was built or written by the demo
	rm -rf build out

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*  ## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
