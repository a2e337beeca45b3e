// Package core decides which request is made next for one MachineConfigNode.
//
//	Submit ──► what is pending ──┐
//	                             ├──► Next ──► Request
//	Done ────► what is known ────┘                │
//	  ▲                                           │
//	  └────────── Result ◄── the caller makes it ◄┘
//
// A [Core] is a value: it is told what happened, and answers what to do next. It has no lock, clock,
// context, log or I/O, so that a test can drive it step by step, through every order of events.
//
//	entry, err := c.Submit(change, false)
//	for {
//		request, ok := c.Next(true)
//		if !ok {
//			break
//		}
//		c.Done(request, make(request))
//	}
//
// What is known of the object is one of a few situations:
//
//	Unknown ──read──► Fresh ──conflict, lost answer──► Stale ──read──► Fresh
//	                    │                                │
//	      gone from the Lister                       not found
//	                    ▼                                ▼
//	                 Deleted ──read: not found──►     Missing ──create──► Fresh
//	                                                     │
//	                              create: its status is known
//	                                                     ▼
//	                                                 Recreated ──status published──► Fresh
//
// Each write is planned from the object as it is known at that moment (package plan), so that a
// conflict, a lost answer or a restart needs no other treatment than to read and plan again.
package core
