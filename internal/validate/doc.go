// Package validate checks values that come from outside: the fields of a Config, the
// annotations of a Node.
//
// The checks of names and images are those of the CRD of MachineConfigNode, so that what passes
// them is not rejected by the API server.
package validate
