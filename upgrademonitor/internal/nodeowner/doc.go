// Package nodeowner relates a Node to its MachineConfigNode: the owner reference that has the
// object garbage-collected with its Node, and when a Node is ready for an object at all.
package nodeowner
