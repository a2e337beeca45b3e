// Package validate checks input: fields of Config types, annotations of Nodes, and reports.
//
// Names and images must satisfy the rules of the MachineConfigNode CRD.
package validate
