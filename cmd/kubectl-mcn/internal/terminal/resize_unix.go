//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
)

// NotifyResize returns a channel that has an entry when the terminal has another size.
func NotifyResize() (resized <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}
