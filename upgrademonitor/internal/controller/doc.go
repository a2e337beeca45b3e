// Package controller runs a controller: informers add names of objects to a queue,
// workers sync them, one at a time for each name, and what fails is retried.
//
//	informer ──► On ──► Queue ──► pace ──► Sync ──► done, or again with backoff
//
// A controller built on it says which changes add which names (its enqueue.go), and what an object
// needs (its sync.go and write.go).
package controller
