// Package e2e tests the library on a real API server: ownership of fields, conflicts, validation by
// the CRD, admission, and the order of events in a watch. The tests share a cluster. Each test has
// its own nodes.
package e2e
