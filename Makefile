# Run make without a target for help.

GOLANGCI_LINT_VERSION := v2.15.0
GREMLINS_VERSION      := v0.6.0
FREEZE_VERSION        := v0.2.2

CACHE         := $(CURDIR)/.cache
GOLANGCI_LINT := $(CACHE)/golangci-lint-$(GOLANGCI_LINT_VERSION)/golangci-lint
GREMLINS      := $(CACHE)/gremlins-$(GREMLINS_VERSION)/gremlins
FREEZE        := $(CACHE)/freeze-$(FREEZE_VERSION)/freeze

# Without vet, which make lint runs, and without debug information: each takes about a tenth of the CPU time.
# With less garbage collection, tests run in two thirds of the CPU time.
TEST := GOGC=400 go test -vet=off -ldflags=-w

# The packages without goroutines. They need no race detector.
PURE := ./phases ./conditions ./docs ./internal/... ./scope/... ./examples/image-mode \
	./upgrademonitor/pool ./upgrademonitor/progress ./upgrademonitor/internal/planner ./cmd/kubectl-mcn/internal/cluster ./cmd/kubectl-mcn/internal/mco

FUZZTIME ?= 30s

# For make stress.
MINUTES ?= 4
LOAD    ?= 4

# The Kubernetes version of the API server, for example 1.33. Default: the version in test/binaries.
K8S ?=
export K8S

# The oldest version that make verify tests, and the tests that depend on the version.
OLDEST := 1.33
OF_THE_SERVER := Writes|Tables|Unreadable|Poisoned|Largest|Denied|Traces|Images|Owner|MixedVersions|Manifest|TestKubectl
RUN ?= .

# For make scale: the numbers of nodes, one row each, and the number of nodes updated at the same time.
N ?= 500 1000 2500 5000
C ?= 100

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: ## Run the tests of the library, kubectl mcn, the examples and the docs (offline, if the modules are present)
	$(TEST) $$(go list ./cmd/kubectl-mcn/... ./... | grep -vxF "$$(go list ./docs)") # the slowest package is first
	$(TEST) ./docs # last, because it runs programs that are compiled by then

.PHONY: race
race: ## Run the tests of packages with goroutines again, with the race detector (needs a C compiler)
	$(TEST) -race $$(go list ./... ./cmd/kubectl-mcn/... | grep -vxF "$$(go list $(PURE))")

.PHONY: guard
guard: ## Evaluate the admission policies with the CEL library of the API server
	cd test && $(TEST) ./guard

.PHONY: stress
stress: ## Run the tests for MINUTES (4) beside LOAD (4) busy loops for each core; MINUTES=0 is one round of all
	@.ci/stress $(CACHE)/stress $(MINUTES) $(LOAD) $(PURE)

.PHONY: simulate
simulate: ## Simulate the Monitor for DURATION (10m) with a failing API server; SEED=n repeats a run
	DURATION=$${DURATION:-10m} SEED=$${SEED:-$$(date +%s)} go test -count=1 -timeout 0 -v -run TestSimulation ./upgrademonitor/internal/simulation

.PHONY: servers
servers: ## Build etcd, kubectl and kube-apiserver (4 minutes, once); K8S=1.33 builds another version
	@test/binaries/build $(CACHE)/bin $(K8S)

.PHONY: servers-oldest
servers-oldest: servers
	@test/binaries/build $(CACHE)/bin $(OLDEST)

.PHONY: e2e
e2e: servers ## Run the tests on a real etcd and kube-apiserver; K8S=1.33 selects a version, RUN=Policy selects tests
	cd test && $(TEST) -v -count=1 -parallel 8 -timeout 30m -run '$(RUN)' ./...

.PHONY: e2e-oldest
e2e-oldest: servers-oldest ## Run the tests that depend on the version on the oldest Kubernetes, 1.33
	$(MAKE) e2e K8S=$(OLDEST) RUN='$(OF_THE_SERVER)'

.PHONY: bench
bench: ## Run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: scale
scale: servers ## Measure updates of N="500 1000 2500 5000" nodes, C (100) at the same time (15 to 30 minutes)
	cd test && go run ./cmd/scale --nodes "$(N)" --at-a-time $(C) $(if $(MARKDOWN),--markdown "$(abspath $(MARKDOWN))")

.PHONY: scale-kubectl
scale-kubectl: servers ## Measure the first screen of kubectl mcn with MCN_NODES (5000) objects
	cd test && MCN_NODES=$${MCN_NODES:-5000} go test -count=1 -timeout 30m -v -run TestMCNScale ./e2e

.PHONY: picture
picture: $(FREEZE) ## Draw docs/kubectl-mcn.svg, the picture of README.md (Linux: needs script)
	go build -o $(CACHE)/kubectl-mcn ./cmd/kubectl-mcn
	cd cmd/kubectl-mcn/testdata && COLUMNS=80 TERM=xterm script -qec \
		"$(CACHE)/kubectl-mcn -f rollout.json --at 2026-03-04T14:16:05Z" /dev/null </dev/null | tr -d '\r' >$(CACHE)/screen.ansi
	$(FREEZE) $(CACHE)/screen.ansi --language ansi --window --padding 20 --font.size 13 \
		--font.family "ui-monospace, Menlo, Consolas, monospace" -o docs/kubectl-mcn.svg </dev/null

$(FREEZE):
	GOBIN=$(@D) go install github.com/charmbracelet/freeze@$(FREEZE_VERSION)

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (30s)
	@grep -o '^func Fuzz[A-Za-z]*' --include='*_test.go' -r . | sed 's/:func /:/' | while IFS=: read -r file target; do \
		go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" </dev/null || exit 1; \
	done

.PHONY: mutants
mutants: $(GREMLINS) ## Count edits of the package PKG=./internal/transitions that its tests do not detect (minutes)
	$(GREMLINS) unleash $(PKG) --exclude-files '^[^/]+/' --workers 1 --timeout-coefficient 30 --invert-logical

$(GREMLINS):
	GOBIN=$(@D) go install github.com/go-gremlins/gremlins/cmd/gremlins@$(GREMLINS_VERSION)

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Check the style, the imports and the go.mod files
	$(GOLANGCI_LINT) run ./... ./cmd/kubectl-mcn/...
	cd test && $(GOLANGCI_LINT) run --config ../.golangci.yml ./...
	go mod tidy -diff
	cd cmd/kubectl-mcn && go mod tidy -diff
	cd test && go mod tidy -diff

$(GOLANGCI_LINT):
	GOBIN=$(@D) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)

.PHONY: api
api: ## Write docs/api, the exported declarations of each package
	go test ./docs -run TestAPIFilesAreUpToDate -update

.PHONY: verify-fast
verify-fast: lint test race guard ## Run the linter, the tests and the race detector; what was green and has not changed is not run again

.PHONY: verify
verify: lint test race guard stress e2e e2e-oldest ## Run all checks of CI

.PHONY: nightly
nightly: simulate fuzz ## Run what make verify leaves out: long searches, mutants, an hour of stress (90 minutes)
	$(MAKE) mutants PKG=./internal/transitions
	$(MAKE) stress MINUTES=60

.PHONY: cluster
cluster: servers ## Start an API server in the background, and set KUBECONFIG: eval "$(make cluster)"
	@cd test && go run ./cmd/cluster --dir $(CACHE)/cluster

.PHONY: cluster-down
cluster-down: ## Stop the API server of make cluster
	@cd test && go run ./cmd/cluster --dir $(CACHE)/cluster --down

.PHONY: release
release: ## Tag a release of both modules, after make verify: VERSION=v0.1.0
	@.ci/release $(VERSION)

.PHONY: clean
clean: ## Remove all build results
	rm -rf $(CACHE)
