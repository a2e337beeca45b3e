package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// memory is that of one process.
type memory struct {
	Heap int64 // in use after a garbage collection, in bytes
	Peak int64 // the largest resident set so far, in bytes; 0 elsewhere than on Linux
}

// ownMemory returns the memory of this process after a garbage collection.
func ownMemory() memory {
	runtime.GC()
	runtime.GC() // what the first one finalized
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	m := memory{Heap: int64(stats.HeapAlloc)}
	if file, err := os.Open("/proc/self/status"); err == nil {
		defer file.Close()
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			if peak, err := parsePeak(lines.Text()); err == nil {
				m.Peak = peak
			}
		}
	}
	return m
}

// parsePeak reads the line "VmHWM:   123 kB".
func parsePeak(line string) (int64, error) {
	parts := strings.Fields(line)
	if len(parts) != 3 || parts[0] != "VmHWM:" || parts[2] != "kB" {
		return 0, fmt.Errorf("no peak of the resident set: %q", line)
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	return n * 1024, err
}
