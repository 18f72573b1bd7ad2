# make demo, make test: everything from a bare clone, set-up included.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
SOURCES := pyproject.toml CMakeLists.txt \
	$(shell find core bindings -name '*.cpp' -o -name '*.hpp' -o -name '*.ipp') \
	$(shell find src/riparian -name '*.py' -o -name 'py.typed')
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)

.PHONY: demo test check lint types sanitize threads attack fuzz fuzz-module bench slow clean help

help:
	@echo "make demo      watch a tree learn a drifting stream; writes report.html and model.rip"
	@echo "make test      the tests"
	@echo "make check     tests, lint, types, and the core under sanitizers"
	@echo "make attack    the attacks on every model, with many more tries"
	@echo "make fuzz      fuzz the readers of models, dicts, Arrow and text; SECONDS=60 for each"
	@echo "make bench     the benchmarks against River and MOA"

$(VENV)/made:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade "pip>=25.1"
	@touch $@

$(VENV)/installed: $(VENV)/made $(SOURCES)
	@echo "building riparian ..."
	$(PIP) install .
	@touch $@

$(VENV)/tested: $(VENV)/made pyproject.toml
	$(PIP) install --group test
	@touch $@

$(VENV)/checked: $(VENV)/made pyproject.toml
	$(PIP) install --group check
	@touch $@

$(VENV)/fuzzing: $(VENV)/made pyproject.toml
	$(PIP) install --group fuzz
	@touch $@

demo: $(VENV)/installed
	$(BIN)/riparian run synth:drifting --report report.html --model-out model.rip
	@echo "report.html shows the curves and the tree; 'riparian show model.rip' prints it"

test: $(VENV)/installed $(VENV)/tested
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m "not slow"

check: test lint types sanitize threads

lint: $(VENV)/checked
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed $(VENV)/tested $(VENV)/checked
	$(BIN)/mypy

# The core by itself: AddressSanitizer with UBSan, then ThreadSanitizer.
sanitize: $(VENV)/checked
	$(BIN)/cmake -S . -B build/address -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
		-DRIPARIAN_PYTHON=OFF -DRIPARIAN_CORE_TESTS=ON -DRIPARIAN_SANITIZE=address,undefined
	$(BIN)/cmake --build build/address
	$(BIN)/ctest --test-dir build/address --output-on-failure

threads: $(VENV)/checked $(VENV)/installed $(VENV)/tested
	$(BIN)/cmake -S . -B build/thread -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
		-DRIPARIAN_PYTHON=OFF -DRIPARIAN_CORE_TESTS=ON -DRIPARIAN_SANITIZE=thread
	$(BIN)/cmake --build build/thread
	$(BIN)/ctest --test-dir build/thread --output-on-failure
	RIPARIAN_THREAD_SECONDS=30 $(BIN)/python -m pytest -q tests/contract/test_threads.py

# The attacks of the tests with many more tries; prints how many there were.
attack: $(VENV)/installed $(VENV)/tested
	RIPARIAN_ATTACK=$(or $(EFFORT),20) $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal tests/attack

# Coverage of the Python code by atheris. With SANITIZE=1 the native module is built by clang with
# AddressSanitizer, and its coverage counts too. Findings are left in build/fuzz/findings.
SECONDS ?= 60
TARGETS ?= modelfile dicts arrow readers
# The fuzzer is loaded first there, and finds the mutations of a target only if they are, too.
SANITIZED = PYTHONPATH=build/fuzz/package:$(PYTHONPATH) PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_segv=1 \
	LD_PRELOAD="$$($(BIN)/python -c 'import atheris; print(atheris.path())')/asan_with_fuzzer.so \
	$$($(BIN)/python -c 'import atheris.custom_mutator as m; print(m.__file__)') \
	$$(clang++ -print-file-name=libstdc++.so.6)"

fuzz: $(VENV)/installed $(VENV)/tested $(VENV)/fuzzing $(if $(SANITIZE),fuzz-module)
	$(if $(SANITIZE),$(SANITIZED)) $(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(TARGETS)

fuzz-module: $(VENV)/checked $(VENV)/fuzzing
	@command -v clang++ > /dev/null || { echo "SANITIZE=1 needs clang++ and its sanitizers" \
		"(on Debian: apt install clang libclang-rt-14-dev)" >&2; exit 1; }
	$(BIN)/cmake -S . -B build/fuzz/native -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
		-DCMAKE_CXX_COMPILER=clang++ -DRIPARIAN_SANITIZE=address,fuzzer-no-link \
		-DPython_EXECUTABLE=$(abspath $(BIN)/python) \
		-Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build build/fuzz/native --target _core
	mkdir -p build/fuzz/package
	cp -r src/riparian build/fuzz/package
	cp build/fuzz/native/_core*.so build/fuzz/package/riparian

bench: $(VENV)/installed $(VENV)/tested
	$(BIN)/python benchmarks/speed_against_peers.py
	$(BIN)/python benchmarks/one_at_a_time.py

slow: $(VENV)/installed $(VENV)/tested
	$(BIN)/python -m pytest -q -m slow

clean:
	rm -rf $(VENV) build report.html model.rip
