// Package apierr is the one place that reads an error of the API server.
//
//	switch apierr.Classify(err) {
//	case apierr.Conflict: // read the object and plan again
//	case apierr.Terminal: // drop the request
//	default:              // back off, then read the object and try again
//	}
//
// It is pure. Errors are found however deep they are wrapped.
package apierr
