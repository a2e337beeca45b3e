// Package upgrademonitor is the short way to the library of this module: it gives the
// names of its package upgrademonitor/upgrademonitor under the module's own path, and
// nothing else.
//
// The library is four packages, each importing only those to its left:
//
//	phases ◄── conditions ◄── upgrademonitor
//	                scope ◄──┘
//
//   - phases: the phases of a node update, and how one of them may move
//   - conditions: what a report makes of the list of conditions
//   - scope: one node's reach, a client for its one MachineConfigNode
//   - upgrademonitor: the Monitor, what a daemon calls at each step of an update
package upgrademonitor
