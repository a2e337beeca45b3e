// Package core decides which request to make next for a MachineConfigNode.
//
//	Submit ──► pending changes ──┐
//	See ─────► the Node ─────────┼──► Next ──► Request
//	Done ────► the known object ─┘                │
//	  ▲                                           │
//	  └────────── Result ◄── the caller makes it ◄┘
//
// The caller passes events to a [Core], and the Core returns the next request. A Core has no lock,
// clock, context, log or I/O, so that a test can try every order of events.
//
//	entry, _, err := c.Submit(change)
//	for {
//		request, ok := c.Next(true)
//		if !ok {
//			break
//		}
//		if c.Done(request, send(request)) == core.GiveUp {
//			break // and retry later
//		}
//	}
//
// The object is in one of these situations:
//
//	Unread ──read──► Fresh ──conflict, lost response──► Stale ──read──► Fresh
//	                                                      │
//	                                                 read: not found
//	                                                      ▼
//	                                                   Missing ──create──► Fresh
//
// Package plan computes each write from the known object. So after a conflict, a lost response or a
// restart, it is enough to read the object and to plan again.
package core
