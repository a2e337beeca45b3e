// Package api makes the requests of package core for one MachineConfigNode.
//
//	core.Request ──► Client.Do ──► scope.Client, REST client ──► API server
//	core.Result  ◄──┘
//
// Two things are known here and nowhere else: how an object is encoded, and whether a response can
// be trusted.
//
// A status is written with a merge patch of the whole list of conditions, with the resourceVersion
// that it was computed from. So no condition of another client is lost, a condition is removed by
// leaving it out, and a write that comes too late is a plain 409.
package api
