# make demo, make test: everything from a bare clone, set-up included.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
SOURCES := pyproject.toml CMakeLists.txt \
	$(shell find core bindings -name '*.cpp' -o -name '*.hpp' -o -name '*.ipp') \
	$(shell find src/riparian experiments -name '*.py' -o -name 'py.typed')
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
# Tests start many processes, each of which would compile every module that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: develop docs sdist wheel test-wheel page test-page
.PHONY: demo serve-demo test test-servers test-ray test-spark test-all check lint types format format-check sanitize core threads \
	coverage coverage-python coverage-core attack fuzz fuzz-module bench slow clean help

help:
	@echo "make demo      watch a tree learn a drifting stream; writes report.html and model.rip"
	@echo "make serve-demo  serve a model that learns a drifting stream; kill it, and watch it go on"
	@echo "make test      the tests: two models of each engine in full, every other model once"
	@echo "make test-servers  install Redis, NATS and Kafka in build/servers and run the tests that need them"
	@echo "make page      bundle the live page of riparian serve; needs Node"
	@echo "make test-page  install Chromium, bundle the page and run its tests in the browser"
	@echo "make test-ray  install Ray and run the tests that need it"
	@echo "make test-spark  install Spark and run the tests that need it; needs Java 17"
	@echo "make check     test, lint, types, format-check, and the core under sanitizers"
	@echo "make test-all  every test on every model, long attacks, and ThreadSanitizer"
	@echo "make coverage-python  the lines of the package that the tests run, all but the attacks"
	@echo "make coverage-core  the lines of the core, in a build with -O1, that its own tests and those of"
	@echo "               policies, recipes, forests, restructuring, gradient and modelfile run"
	@echo "make coverage  both"
	@echo "make attack    the attacks on every model, with many more tries"
	@echo "make fuzz      fuzz the readers of models, dicts, Arrow and text; SECONDS=60 for each"
	@echo "make bench     the benchmarks against River and MOA"
	@echo "make develop   install the working tree itself; the core is rebuilt when it is imported"
	@echo "make docs      the documentation site, in build/docs/html"
	@echo "make wheel     a wheel, in dist; make test-wheel tries it without a compiler"

$(VENV)/made:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade "pip>=25.1"
	@touch $@

$(VENV)/installed: $(VENV)/made $(SOURCES) $(wildcard src/riparian/serve/page/dist/*)
	$(if $(wildcard $(VENV)/developed),$(BIN)/python -c "import riparian._core",\
		@echo "building riparian ..." && $(PIP) install . ./experiments)
	@touch $@

$(VENV)/tested: $(VENV)/made pyproject.toml
	$(PIP) install --group test
	@touch $@

$(VENV)/checked: $(VENV)/made pyproject.toml
	$(PIP) install --group check
	@touch $@

$(VENV)/served: $(VENV)/made pyproject.toml $(wildcard tests/servers/*)
	$(PIP) install --group servers
	$(BIN)/python -m tests.servers.install
	@touch $@

$(VENV)/rayed: $(VENV)/made pyproject.toml
	$(PIP) install --group ray
	@touch $@

$(VENV)/sparked: $(VENV)/made pyproject.toml
	$(PIP) install --group spark
	@touch $@

$(VENV)/fuzzing: $(VENV)/made pyproject.toml
	$(PIP) install --group fuzz
	@touch $@

$(VENV)/documented: $(VENV)/made pyproject.toml
	$(PIP) install --group docs
	@touch $@

demo: $(VENV)/installed
	$(BIN)/riparian run synth:drifting --report report.html --model-out model.rip
	@echo "report.html shows the curves and the tree; 'riparian show model.rip' prints it"

# A stream, a race, a split, a drift, and a server that is killed and goes on, with the page.
serve-demo: $(if $(shell command -v npm),page)
	$(MAKE) $(VENV)/installed
	$(PIP) install "granian>=2.7" "msgspec>=0.19" "prometheus-client>=0.21" "starlette>=0.50" "httpx>=0.28"
	$(BIN)/python examples/serve_demo.py

# One worker more than there are cores: some tests wait for a disk, a signal or another process.
PYTEST = $(BIN)/python -m pytest -q -n $(shell expr $(JOBS) + 1) --dist worksteal

test: $(VENV)/installed $(VENV)/tested
	$(PYTEST) -m "$(or $(TESTS),not slow)"

# A file of tests stays in one process, so that each broker is started once.
test-servers: $(VENV)/installed $(VENV)/tested $(VENV)/served
	RIPARIAN_SERVERS=required $(PYTEST) --dist loadfile -m "servers and not slow" tests/sources

# The live page: a build of the package that follows includes it.
page: $(VENV)/made
	$(BIN)/python src/riparian/serve/page/build.py

$(VENV)/browsing: $(VENV)/made pyproject.toml
	$(PIP) install --group browser
	$(BIN)/python -m tests.serve.page.install
	@touch $@

# The page is built before the package, so that the package has it.
test-page: $(VENV)/tested $(VENV)/browsing page
	$(MAKE) $(VENV)/installed
	RIPARIAN_PAGE=required $(PYTEST) --dist loadfile -m "browser and not slow" tests/serve

test-ray: $(VENV)/installed $(VENV)/tested $(VENV)/rayed
	RIPARIAN_RAY=required $(PYTEST) --dist loadfile -p no:unraisableexception -m "ray and not slow" tests/cluster

# One process: a session of Spark is a JVM.
test-spark: $(VENV)/installed $(VENV)/tested $(VENV)/sparked
	RIPARIAN_SPARK=required $(BIN)/python -m pytest -q -m "spark and not slow" tests/cluster

# Every test on every model, attacks that are EFFORT times as long, the core without sanitizers,
# where more allocations fail, and ThreadSanitizer.
test-all: $(VENV)/installed $(VENV)/tested core threads
	RIPARIAN_TESTS=all RIPARIAN_ATTACK=$(or $(EFFORT),5) $(PYTEST)

check: test lint types format-check sanitize

lint: $(VENV)/checked
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed $(VENV)/tested $(VENV)/checked
	$(BIN)/mypy
	$(BIN)/mypy tests

CPP_FILES = $(shell find core bindings -name '*.cpp' -o -name '*.hpp' -o -name '*.ipp')

format: $(VENV)/checked
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP_FILES)

format-check: $(VENV)/checked
	$(BIN)/clang-format --dry-run --Werror $(CPP_FILES)

# The core and its own tests, without Python: $(call core_tests,FOLDER,OPTIONS OF CMAKE)
define core_tests
	$(BIN)/cmake -S . -B $(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
		-DRIPARIAN_PYTHON=OFF -DRIPARIAN_CORE_TESTS=ON $(2)
	$(BIN)/cmake --build $(1)
	$(BIN)/ctest --test-dir $(1) --parallel $(JOBS) --output-on-failure
endef

sanitize: $(VENV)/checked
	$(call core_tests,build/address,-DRIPARIAN_SANITIZE=address$(comma)undefined)

core: $(VENV)/checked
	$(call core_tests,build/core,)

threads: $(VENV)/checked $(VENV)/installed $(VENV)/tested
	$(call core_tests,build/thread,-DRIPARIAN_SANITIZE=thread)
	RIPARIAN_THREAD_SECONDS=30 $(BIN)/python -m pytest -q tests/contract/test_threads.py

comma := ,

# Lines of the package that the tests run, and lines of the core that its own tests and those of the
# package run. The reports are build/coverage/python and build/coverage/core.
coverage: coverage-python coverage-core

# The tests of `make test` without the attacks, which trace lines themselves and would end the count.
coverage-python: $(VENV)/installed $(VENV)/tested $(VENV)/checked
	$(PYTEST) -m "$(or $(TESTS),not slow)" --ignore tests/attack --cov=riparian \
		--cov-report=term:skip-covered --cov-report=html:build/coverage/python

COVERED = build/coverage/native
# Tests of Python that reach what the core's own tests do not.
CORE_TESTS ?= tests/policies tests/recipes tests/forests tests/restructuring tests/gradient tests/modelfile
coverage-core: $(VENV)/installed $(VENV)/tested $(VENV)/checked
	rm -rf build/coverage/package build/coverage/core && mkdir -p build/coverage/core
	$(BIN)/cmake -S . -B $(COVERED) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
		-DRIPARIAN_COVERAGE=ON -DRIPARIAN_CORE_TESTS=ON \
		-DPython_EXECUTABLE=$(abspath $(BIN)/python) \
		-Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build $(COVERED)
	find $(COVERED) -name '*.gcda' -delete
	$(BIN)/ctest --test-dir $(COVERED) --parallel $(JOBS) --output-on-failure
	$(call package_of,build/coverage/package,$(COVERED))
	PYTHONPATH=build/coverage/package $(PYTEST) -m "not slow" $(CORE_TESTS)
	$(BIN)/gcovr --root . --filter core/ --exclude core/tests/ --exclude-throw-branches \
		--print-summary --html-details build/coverage/core/index.html $(COVERED)

# A package with the native module of another build, for PYTHONPATH: $(call package_of,FOLDER,BUILD)
define package_of
	mkdir -p $(1)
	cp -r src/riparian $(1)
	cp $(2)/_core*.so $(1)/riparian
	cp tests/other_build.py $(1)/sitecustomize.py
	PYTHONPATH=$(1) $(BIN)/python -c "import riparian._core as c; assert '$(1)' in c.__file__, c.__file__"
endef

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
	$(call package_of,build/fuzz/package,build/fuzz/native)

bench: $(VENV)/installed $(VENV)/tested
	$(BIN)/python benchmarks/speed_against_peers.py
	$(BIN)/python benchmarks/one_at_a_time.py

slow: $(VENV)/installed $(VENV)/tested
	$(BIN)/python -m pytest -q -m slow

# The package as it lies in the working tree: a change of Python counts at once, and one of C++ when
# the module is next imported. Run it again after a Python file was moved or deleted.
develop: $(VENV)/tested $(VENV)/checked
	$(PIP) install --group develop
	$(PIP) install --no-build-isolation -C editable.rebuild=true -C editable.verbose=false \
		-C build-dir=build/develop --editable .
	$(PIP) install --editable ./experiments
	@touch $(VENV)/developed $(VENV)/installed

docs: $(VENV)/installed $(VENV)/tested $(VENV)/documented
	$(BIN)/python -m docs.site

# What is released. A wheel for Linux gets its manylinux tag from cibuildwheel.
sdist: $(VENV)/made
	$(PIP) install build
	$(BIN)/python -m build --sdist --outdir dist .

wheel: $(VENV)/made
	rm -rf dist/*.whl
	$(PIP) wheel --no-deps --wheel-dir dist .

test-wheel:
	@ls dist/*.whl > /dev/null || { echo "make wheel first" >&2; exit 1; }
	$(PYTHON) -m tests.wheel dist/*.whl

clean:
	rm -rf $(VENV) build report.html model.rip
