// Package parent ties a server to the process that started it.
package parent

import (
	"os"
	"time"
)

// ExitWith ends this process within a second after its parent has ended, so that no server outlives
// a test, even a test that was killed.
func ExitWith() {
	parent := os.Getppid()
	go func() {
		for range time.Tick(time.Second) {
			if os.Getppid() != parent {
				os.Exit(1)
			}
		}
	}()
}
