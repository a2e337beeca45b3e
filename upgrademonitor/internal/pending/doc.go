// Package pending keeps the intents that were accepted and are not written yet, in order.
//
//	Push ──► [ head … … tail ] ──► Head, Finish
//	               │
//	            Predict: the state that the queue leads to
//
// A [Queue] knows nothing of threads, of requests and of time: its owner holds a lock around each
// call. It is bounded: a long queue is compacted step by step, see compact.go, and a full one
// accepts nothing.
package pending
