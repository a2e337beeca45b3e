// Package core decides which request to make next for a MachineConfigNode.
//
//	Submit ──► pending changes ──┐
//	See ─────► the Node ─────────┼──► Next ──► Request
//	Done ────► the known object ─┘                │
//	  ▲                                           │
//	  └────────── Result ◄── the caller makes it ◄┘
//
// The caller passes events to a [Core], and the Core returns the next request. A Core has no lock,
// clock, context, log or I/O. So a test can try every order of events.
//
//	c.See(view)
//	entry, isRepeat, err := c.Submit(change)
//	trySpec := true
//	for {
//		request, ok := c.Next(trySpec)
//		if !ok {
//			break
//		}
//		verdict := c.Done(request, send(request))
//		if verdict == core.GiveUp {
//			break // and retry later
//		}
//		trySpec = trySpec && verdict != core.SkipSpec
//	}
//	settled := c.TakeSettled()
//
// The situation of the object decides which request is next:
//
//	situation    it begins with                                     next request
//	Unread       a new Core                                         Get
//	Fresh        a read, a creation or an accepted patch            PatchSpec, PatchStatus or Wait
//	NoResponse   a creation or a patch without a response           Get
//	Stale        a conflict, a rejection, or a possible change      Get
//	Missing      a read that finds no object                        Create
//
// Wait is not a request to the API server. It means that the report of a controller waits until the
// daemon has started the update. When the caller retries, the first request reads the object.
//
// Package plan computes each write from the known object. So after a conflict, a lost response or a
// restart, the object is read, and the write is computed again.
//
// Each file of testdata shows one rule about requests and their order. It has commands, and the
// requests that follow from them.
package core
