# Run make alone to see the targets.

GOLANGCI_LINT_VERSION := v2.15.0

CACHE         := $(CURDIR)/.cache
GOLANGCI_LINT := $(CACHE)/golangci-lint-$(GOLANGCI_LINT_VERSION)/golangci-lint

# The race detector needs a C compiler.
RACE := $(shell [ "$$(go env CGO_ENABLED)" = 1 ] && command -v "$$(go env CC)" >/dev/null && echo -race)

FUZZTIME ?= 30s

# How many nodes make scale updates, one row each, and how many of them at a time.
N ?= 500 1000 2500 5000
C ?= 100

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: ## Test the library and the examples (no network once the modules are there)
	go test $(RACE) ./...

.PHONY: e2e
e2e: ## Test on a real etcd and kube-apiserver (built on first use: about 5 minutes)
	cd test && go test -v -count=1 -timeout 30m ./...

.PHONY: soak
soak: ## Walk at random on a real API server, WALKS times (20000); SEED repeats a run
	cd test && WALKS=$${WALKS:-20000} go test -count=1 -timeout 0 -v -run TestRandomWalks ./e2e

.PHONY: e2e-guarded
e2e-guarded: ## The same with both policies in force, and daemons with the token of a Pod on their node
	cd test && UPGRADEMONITOR_E2E_GUARD=1 go test -v -count=1 -timeout 30m ./e2e

.PHONY: bench
bench: ## Measure a report, a no-op and a whole update against canned answers
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: scale
scale: ## Measure N="500 1000 2500 5000" nodes, C=100 at a time, on a real API server (15 minutes)
	cd test && go run ./cmd/scale --nodes "$(N)" --at-a-time $(C) $(if $(MARKDOWN),--markdown "$(abspath $(MARKDOWN))")

.PHONY: fuzz
fuzz: ## Fuzz the conditions and the status of pools, FUZZTIME (30s) for each target
	@for package in conditions upgrademonitor/pool; do \
		for target in $$(grep -ho '^func Fuzz[A-Za-z]*' $$package/*_test.go | cut -c6-); do \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) ./$$package || exit 1; \
		done; \
	done

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Check style, import directions and the tidiness of the modules
	$(GOLANGCI_LINT) run ./...
	cd test && $(GOLANGCI_LINT) run --config ../.golangci.yml ./...
	go mod tidy -diff
	cd test && go mod tidy -diff

$(GOLANGCI_LINT):
	GOBIN=$(@D) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)

.PHONY: example
example: ## Run the example daemon, and a whole cluster, through an update, in memory
	go run ./examples/daemon
	go run ./examples/operator --simulate 20

.PHONY: verify
verify: lint test example e2e ## All that CI runs

.PHONY: cluster
cluster: ## Leave a real API server running; prints the export KUBECONFIG=… line
	@cd test && go run ./cmd/cluster

.PHONY: cluster-down
cluster-down: ## Stop the server that make cluster left running
	@cd test && go run ./cmd/cluster --down

.PHONY: kubectl
kubectl: ## Build kubectl and print its path
	@cd test && go run ./cmd/cluster --kubectl

.PHONY: clean
clean: ## Remove what was built, the servers of the tests included
	rm -rf $(CACHE)
