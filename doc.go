// Package upgrademonitor is the short way to the library of this module: it gives the main
// names of its package upgrademonitor/upgrademonitor under the module's own path, and
// nothing else. The README has the tour.
package upgrademonitor
