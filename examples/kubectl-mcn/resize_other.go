//go:build !unix

package main

import "os"

// notifyResize returns a channel that never has an entry: a redraw comes within a second.
func notifyResize() (resized <-chan os.Signal, stop func()) {
	return nil, func() {}
}
