// Package validate checks input: the fields of a Config, and the annotations of a Node.
//
// Names and images must satisfy the rules of the MachineConfigNode CRD.
package validate
