// Package controller is the frame of a controller: informers add keys to a queue, workers sync
// them one at a time for each key, and what fails is retried.
//
//	informer ──► handler ──► Queue ──► pace ──► Sync ──► done, or again with backoff
//
// A controller built on it says which changes add which keys (its enqueue.go), and what a key
// needs (its sync.go and write.go).
package controller
