// Package apierr classifies errors of the API server.
//
//	switch apierr.Classify(err) {
//	case apierr.Conflict: // read the object, and compute the write again
//	case apierr.Terminal: // do not retry
//	default:              // wait, then read the object and retry
//	}
//
// All functions accept wrapped errors.
package apierr
