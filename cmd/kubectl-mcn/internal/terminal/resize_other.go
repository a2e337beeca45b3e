//go:build !unix

package terminal

import "os"

// NotifyResize returns a channel that never has an entry: a redraw comes within a second.
func NotifyResize() (resized <-chan os.Signal, stop func()) {
	return nil, func() {}
}
