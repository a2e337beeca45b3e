// Package e2e tests the library on a real API server: ownership of fields, conflicts,
// validation by the CRD, admission, the order of a watch. The tests share a cluster; each uses
// nodes of its own.
package e2e
