//go:build race

package core_test

// The race detector takes ten times as long, and a Core has no goroutines.
func init() { defaultDepth = 2 }
