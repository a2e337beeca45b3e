// Package apierr classifies errors of the API server.
//
//	switch apierr.Classify(err) {
//	case apierr.Conflict: // read the object and plan again
//	case apierr.Terminal: // drop the request
//	default:              // back off, then read the object and retry
//	}
//
// All functions accept wrapped errors.
package apierr
