// Package e2e holds the tests of the library that need a real API server: ownership of
// fields, conflicts, validation by the CRD, the order of a watch. They share one cluster,
// and each takes a node name of its own.
package e2e
