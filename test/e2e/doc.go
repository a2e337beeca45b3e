// Package e2e tests the library on a real API server: ownership of fields, conflicts, validation by
// the CRD, admission, and the order of a watch. The tests share a cluster, and each test has its
// own nodes.
package e2e
