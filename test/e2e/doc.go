// Package e2e tests what only a real API server can show: admission, RBAC and tokens, validation by the CRD, field
// ownership, conflicts, the events of a watch, kubectl, and versions side by side. All other rules are tested in
// their own packages, on the server of package upgrademonitortest: TestWritesHaveTheSameResponseOnTheTestServer compares that
// server with the real one. The tests share a cluster, and each test has its own nodes.
package e2e
