// Package parent ends a server when the process that started it has ended.
package parent

import (
	"os"
	"time"
)

// ExitWith ends this process within a second after its parent process has ended. So no server
// outlives its test, even if the test is killed.
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
