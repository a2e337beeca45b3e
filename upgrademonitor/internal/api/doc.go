// Package api makes the requests of package core for one MachineConfigNode.
//
//	core.Request ──► Client.Do ──► scope.Client, REST client ──► API server
//	core.Result  ◄──┘
//
// This package decides how an object is encoded, and whether a response can be trusted.
//
// A status is written with a merge patch of the whole list of conditions, and with the
// resourceVersion that it was computed from. So no condition of another client is lost, a condition
// is removed by leaving it out, and a late write fails with a plain 409.
package api
