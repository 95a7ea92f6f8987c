# The short way to everything; the build itself is CMake's (CMakePresets.json).
#   make          builds build/whyslow
#   make demo     installs what is needed, builds, and diagnoses the Jacobi program on 4 ranks
#   make test     installs what is needed, builds, and runs all tests
#   make bench    measures the cost of recording (beside EZTrace, if installed) and the speed of diagnosis;
#                 BENCH=--large also diagnoses 10^8 events, BENCH=--cost measures the first only
#   make experiments  the programs of examples/ before and after the advice, on 1 to 128 simulated ranks (SimGrid, matplotlib)
#   make experiments-predict  estimates programs on targets that differ, beside what they take (docs/prediction.md);
#                 EXPERIMENT=--quick takes two programs and writes no docs
#   make page     builds the page of `whyslow report` anew from its sources (needs npm)
#   make screenshots  makes the pictures of the README from the Jacobi program
#   make install  PREFIX=/usr/local DESTDIR= ...
PRESET ?= default
BUILD := $(if $(filter default,$(PRESET)),build,build-$(PRESET))
PREFIX ?= /usr/local

.PHONY: build dependencies demo test bench experiments experiments-predict kernels-data page screenshots install clean

build: $(BUILD)/build.ninja
	cmake --build --preset $(PRESET) --target whyslow

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json tests/CMakeLists.txt
	@cmake --preset $(PRESET) || \
	    { echo "If something is missing: scripts/install-deps.sh installs it (Debian)." >&2; exit 1; }

dependencies:
	scripts/install-deps.sh

# Not at once with -j: a compiler must be there before it is called.
demo: dependencies
	$(MAKE) build
	scripts/demo.sh $(BUILD)/whyslow

# First the unit tests under AddressSanitizer and UBSan, and those of threads under ThreadSanitizer, then
# everything as it is built for use.
test: dependencies
	$(MAKE) PRESET=sanitize build-sanitize/build.ninja
	cmake --build --preset sanitize
	ctest --preset sanitize --label-regex unit
	$(MAKE) PRESET=threads build-threads/build.ninja
	cmake --build --preset threads --target team_test_threads diagnosis_test_rounds
	ctest --preset threads --tests-regex 'team.test_threads|diagnosis.test_rounds'
	$(MAKE) build/build.ninja
	cmake --build --preset default
	ctest --preset default

bench: build
	cmake --build --preset $(PRESET) --target engine_speed bench_team make_trace read_trace
	python3 bench/run.py $(BUILD)/whyslow $(BENCH)

experiments: build
	/usr/bin/python3 experiments/run.py $(EXPERIMENTS) $(BUILD)/whyslow
	/usr/bin/python3 experiments/what_if.py $(BUILD)/whyslow

# Plots want the system's Python, for which Debian has matplotlib.
experiments-predict: build
	scripts/install-deps.sh valgrind qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu \
	    libc6-dev-riscv64-cross python3-matplotlib
	/usr/bin/python3 experiments/predict/run.py $(BUILD)/whyslow $(EXPERIMENT)

# What the calibration kernels do, counted anew after a change of them.
kernels-data: build
	scripts/install-deps.sh valgrind
	python3 experiments/predict/run.py $(BUILD)/whyslow kernels-data

PAGE := src/report/page

$(PAGE)/node_modules/.package-lock.json: $(PAGE)/package-lock.json
	cd $(PAGE) && npm ci --no-audit --no-fund --ignore-scripts
	touch $@

page: $(PAGE)/node_modules/.package-lock.json
	cd $(PAGE) && npm run typecheck && npm run build

screenshots: build $(PAGE)/node_modules/.package-lock.json
	scripts/screenshots.sh $(BUILD)/whyslow

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf build build-sanitize build-threads
