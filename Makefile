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

.PHONY: demo test check lint types sanitize threads attack bench slow clean help

help:
	@echo "make demo      watch a tree learn a drifting stream; writes report.html and model.rip"
	@echo "make test      the tests"
	@echo "make check     tests, lint, types, and the core under sanitizers"
	@echo "make attack    the attacks on every model, with many more tries"
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

bench: $(VENV)/installed $(VENV)/tested
	$(BIN)/python benchmarks/speed_against_peers.py
	$(BIN)/python benchmarks/one_at_a_time.py

slow: $(VENV)/installed $(VENV)/tested
	$(BIN)/python -m pytest -q -m slow

clean:
	rm -rf $(VENV) build report.html model.rip
