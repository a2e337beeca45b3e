//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyResize returns a channel that has an entry when the terminal has another size.
func notifyResize() (resized <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}
