// Package program is the frame of the examples: signals, flags, logs, and an exit code with
// at most one line on standard error.
package program
