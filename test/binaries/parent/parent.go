// Package parent ties a server to the process that started it.
package parent

import (
	"os"
	"time"
)

// ExitWith ends this process within a second after its parent has ended. So even a killed test
// leaves no server behind.
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
