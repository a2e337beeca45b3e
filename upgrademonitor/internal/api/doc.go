// Package api makes the requests that package core decides on, for one MachineConfigNode.
//
//	core.Request ──► Client.Do ──► scope.Client, REST client ──► API server
//	core.Result  ◄──┘
//
// The package encodes objects, and checks that a response is about the right object.
//
// A status is written with a merge patch. The patch has the whole list of conditions, including the
// conditions of other clients, because a merge patch replaces a list. The patch also has the
// resourceVersion of the object that it was computed from. So if another client has written the
// object in the meantime, the patch fails with a 409, and no condition is lost.
package api
