// Package api makes the requests of package core for one MachineConfigNode.
//
//	core.Request ──► Client.Do ──► JSON, or scoped.Client ──► API server
//	core.Result  ◄──┘
//
// Two things are known here and nowhere else: how an object is encoded, and whether an answer can be
// believed.
//
// A status is written with a merge patch of the whole list of conditions, with the resourceVersion
// that it was computed from. So nothing of others is lost, what has to go is removed without a special
// case, and a write that comes too late is a plain 409.
package api
