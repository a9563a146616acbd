# Everything a newcomer needs: `make demo` and `make test` set themselves up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_TO_PLAY := $(VENV)/.ready-to-play
BAKED := build/baked/.ready
BAKED_LARGE := build/baked/.ready-large

.PHONY: setup demo test fast feature-proof arm-test check format bench proofs figures-proof power-proof memory-proof soak swarm swarm-mutants bake contact-sheet pictures schematics configuration-page fault-model-page generated docs dossier install uninstall deb venue-deb bundle boot-proof venue-boot-proof venue-demo image image-proof pi-proof release clean

# Says what a step does, how long that takes, and how long it has been at it.
STEP := @$(PYTHON) -I controller/features/demo/step.py
# What is installed goes into the environment alone, and all of it, whatever the user has set for pip in files and
# variables. Where it comes from stays the user's: index, proxy, certificates, wheels, cache.
PIP := $(BIN)/python -I controller/features/demo/pip_install.py cabinet --quiet --disable-pip-version-check --constraint constraints.txt
unexport PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_PYTHON PIP_DRY_RUN PIP_NO_DEPS PIP_REQUIRE_HASHES PIP_REQUIREMENT
unexport PIP_CONSTRAINT PIP_EDITABLE PIP_NO_BUILD_ISOLATION PIP_PLATFORM PIP_PYTHON_VERSION PIP_IMPLEMENTATION PIP_ABI
unexport PYTHONHOME PYTHONPATH

setup: $(READY) $(BAKED)

$(READY): pyproject.toml constraints.txt
	@echo "The first time this needs 1,300 MB of disk and some five minutes: libraries, then pictures and sounds."
	$(STEP) "Python environment in $(VENV)" 10 $(PYTHON) -m venv $(VENV)
	$(STEP) "Libraries of program and tests, 1,000 MB" 120 $(PIP) --editable '.[dev]'
	@touch $(READY_TO_PLAY) $@

# What a demo needs: no tools, no compiled games, no venue.
$(READY_TO_PLAY): pyproject.toml constraints.txt
	@echo "The first time this needs 500 MB of disk and some two minutes: libraries, then a game's pictures and sounds."
	$(STEP) "Python environment in $(VENV)" 10 $(PYTHON) -m venv $(VENV)
	$(STEP) "Libraries of the program, 260 MB" 60 $(PIP) --editable '.[bake,printer,web]'
	@touch $@

ART := $(shell find ui games -name '*.svg' -o -name '*.po' -o -name 'bake*.py' -o -name 'music.py' -o -path 'ui/baking/*.py')

$(BAKED): $(READY) $(ART)
	$(STEP) --draws "Pictures and sounds of all games, 260 MB" 120 $(BIN)/cabinet bake --scale 1
	@touch $@

# The pictures at 1920x1080, which only the proofs look at.
$(BAKED_LARGE): $(READY) $(ART)
	$(STEP) --draws "Pictures of all games at 1920x1080" 300 $(BIN)/cabinet bake --scale 1.5
	@touch $@

bake: $(READY_TO_PLAY)
	$(BIN)/cabinet bake

# Opens when its first game is baked; the others join the lobby. Without a screen the bench is a page for a browser;
# `make demo OPTIONS=--headless` plays the script instead.
demo: $(READY_TO_PLAY)
	$(BIN)/cabinet demo --bake $(OPTIONS)

# Tests start hundreds of Python processes: each module is compiled once, also where the environment forbids its cache.
test fast proofs memory-proof swarm-mutants: export PYTHONDONTWRITEBYTECODE :=

# Their journals lie in memory where it has 4 GB of room: a sync costs a disk milliseconds. Power cuts are power-proof's.
MEMORY := $(shell df --output=avail /dev/shm 2>/dev/null | awk 'NR == 2 && $$1 > 4000000 { print "/dev/shm" }')
test fast swarm swarm-mutants: export TMPDIR := $(MEMORY)

# A test that never ends is ended and named: by the processor time that it uses, or after an hour in which it waits
# (tests/rigs/processor_limit.py). No busy machine reaches either.
SUITE := -n 4 --dist worksteal -m 'not proof' --processor-limit 300 --timeout 3600 --durations 15

test: setup check
	@echo "Tests: about 15 min on two cores"
	$(BIN)/python -m pytest $(SUITE)

# The fast suite: money, drivers, journal, real processes. `make test` adds the games' mathematics and the screens.
FAST := tests/controller tests/features tests/drivers tests/bench tests/proofs tests/soak tests/test_end_to_end.py
fast: setup
	$(BIN)/python -m pytest $(SUITE) $(FAST)

# The fast suite without each feature in turn, in a copy of the tree; hours. `make feature-proof FEATURES=cards` for one.
feature-proof: setup
	$(BIN)/python -m tests.feature_proof $(FEATURES) --tests $(FAST)

# The same on arm64 under qemu-user, on the image's Debian tree, as root; hours. `make arm-test FAST=tests/drivers` for a part: docs/testing.md.
arm-test: setup
	PYTHON=$(abspath $(BIN)/python) tests/pi/arm-test -n 2 --dist worksteal -m 'not proof' --timeout 7200 $(FAST)

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(STEP) "Types" 60 $(BIN)/mypy
	$(BIN)/lint-imports
	$(STEP) "Unused code" 15 $(BIN)/python -m tests.dead_code

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup
	$(BIN)/python -m tests.bench

# A venue to try: PostgreSQL in a folder of its own, the web page, three simulated cabinets; prints address and login.
venue-demo: setup
	$(BIN)/python -m venue.demo

contact-sheet: setup
	$(BIN)/python -m tests.ui.contact_sheet

pictures: setup
	$(BIN)/python -m tests.ui.pictures

# The schematics of docs/wiring.md, from the sample configurations and the parts' values.
schematics: $(READY)
	$(BIN)/python -m tests.schematics

# Everything in the tree that is written from the code: lists in docs/, the compiled words of the venue's pages.
generated: configuration-page fault-model-page
	$(BIN)/cabinet faults > docs/faults.md.new && mv docs/faults.md.new docs/faults.md
	$(BIN)/cabinet meters > docs/meters.md.new && mv docs/meters.md.new docs/meters.md
	$(BIN)/python -m venue.page.catalogue

# The lists of keys in docs/configuration.md, from the fields of `cabinet.toml`.
configuration-page: $(READY)
	$(BIN)/python -m tests.key_reference

# The rows of docs/fault-model.md, from the `fault_model.py` of each folder of drivers/simulated.
fault-model-page: $(READY)
	$(BIN)/python -m tests.fault_model_page

# The documents as a site, links and anchors checked: build/site, to be looked at with `python3 -m http.server -d build/site`.
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

# One folder for a testing laboratory, HTML and PDF: build/dossier. Runs the tests that are marked with requirements, half
# an hour on two cores; OPTIONS='--quick --junit FILE' takes the results of an earlier `pytest --junitxml FILE`.
dossier: setup
	$(BIN)/python -m tests.dossier $(OPTIONS)

proofs: setup $(BAKED_LARGE)
	$(BIN)/python -m pytest -m proof -n 6 --dist worksteal
	$(MAKE) arm-test

# Each game's figures.json worked out anew and compared; minutes a game. `cabinet figures GAME` writes one.
figures-proof: setup
	$(BIN)/python -m pytest -m proof -n 2 tests/games/test_win_up_to.py

# Power cuts at every flush of a recorded disk, a thousand images and more; as root, with qemu-utils and qemu-system-common: docs/testing.md.
power-proof: setup
	$(BIN)/python -m pytest -m proof tests/proofs/test_power_loss.py

# The display's resident memory over an hour of its time through every screen of all games, at both sizes of a wide monitor: docs/display.md.
memory-proof: setup $(BAKED_LARGE)
	$(BIN)/python -m pytest -m proof -n 2 tests/proofs/test_display_memory.py

# Lives of drawn cabinets on virtual time, for HOURS; a failure is printed as the shortest script: docs/testing.md.
HOURS ?= 8
swarm: setup
	$(BIN)/python -m tests.swarm --hours $(HOURS) --shrink

# Whether lives notice one-line faults in the code that moves money: docs/testing.md.
swarm-mutants: setup
	$(BIN)/python -m tests.swarm.mutants --processes 2

# A day of simulated time with faults and power cuts, 24 hours in less than one, then 20 minutes of real processes.
# The books lie in memory, since a day of syncs on a disk is a day: docs/testing.md.
soak: setup
	$(BIN)/python -m tests.soak --hours 24 --books /dev/shm/cabinet-soak
	$(BIN)/python -m tests.soak.processes --minutes 20

# On the cabinet itself, as root: docs/install.md.
install:
	systemd/install

uninstall:
	systemd/uninstall

# Debian packages of this tree for machines of this release and architecture, program and art: build/cabinet*.deb.
# `make deb OPTIONS='--baked DIR'` takes art that is baked already.
deb:
	systemd/make-deb $(OPTIONS)

# A Debian package of the venue's server: build/cabinet-venue_*.deb.
venue-deb: setup
	systemd/venue/make-deb

# An update that the service menu takes from a stick, signed: `make bundle SIGNING_KEY=FILE`; build/cabinet-*.cabinet.
bundle:
	systemd/make-bundle

# A card's image for a Raspberry Pi 4, of Debian, as root; signed with SIGNING_KEY=FILE: docs/install.md. build/image/.
image: setup $(BAKED_LARGE)
	PYTHON=$(abspath $(BIN)/python) image/make-image

# The image twice, each of a Debian tree made anew: packages and files are the same, each by its digest. SIGNING_KEY is needed.
image-proof: setup $(BAKED_LARGE)
	@test -n "$(SIGNING_KEY)" || { echo "image-proof: name the key, SIGNING_KEY=FILE: without one each build has another" >&2; exit 2; }
	PYTHON=$(abspath $(BIN)/python) image/make-image --fresh
	rm -rf build/image-before && mkdir build/image-before
	cp build/image/*.packages build/image/*.files build/image-before
	PYTHON=$(abspath $(BIN)/python) image/make-image --fresh
	cd build/image-before && for list in *; do diff $$list $(CURDIR)/build/image/$$list || exit 1; done

# That image in an emulated machine, with the real units, users and header library; as root, SIGNING_KEY as above: docs/testing.md.
pi-proof: setup $(BAKED_LARGE)
	$(BIN)/python -m tests.pi.pi_proof $(if $(SIGNING_KEY),--key $(SIGNING_KEY)); proved=$$?; \
	    $(BIN)/python -m tests.pi.expander_proof build/pi-proof/card-*.img && exit $$proved

# A Debian machine in a container with the real units, and what may happen to it; as root, without KVM: docs/testing.md.
boot-proof: setup
	$(BIN)/python -m tests.systemd.boot_proof

# The same for the venue's package and units: docs/testing.md.
venue-boot-proof: setup
	$(BIN)/python -m tests.systemd.venue_boot_proof

# A release of the tagged commit, in dist/: wheel, packages, site, the image's lists, sums; as root, signed with
# SIGNING_KEY=FILE: CONTRIBUTING.md. `make release OPTIONS=--rehearse` asks for neither tag nor date.
release:
	.ci/release $(OPTIONS)

clean:
	rm -rf $(VENV) build dist demo
