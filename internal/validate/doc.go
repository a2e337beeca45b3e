// Package validate checks values that come from outside: the fields of a Config, the
// annotations of a Node.
//
// Names and images are checked as the CRD of MachineConfigNode checks them, so that the API server
// does not reject them later.
package validate
