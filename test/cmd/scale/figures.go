package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// count formats a number with separators of thousands: 13,000.
func count[T int | int64](n T) string {
	digits := strconv.FormatInt(int64(n), 10)
	var groups []string
	for len(digits) > 3 && digits[len(digits)-4] != '-' {
		groups = append([]string{digits[len(digits)-3:]}, groups...)
		digits = digits[:len(digits)-3]
	}
	return strings.Join(append([]string{digits}, groups...), ",")
}

// megabytes formats millions of bytes.
func megabytes(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }

// eachNode formats the share of one node, in milliseconds.
func eachNode(d time.Duration, nodes int) string {
	return fmt.Sprintf("%.0f", float64(d.Microseconds())/1e3/float64(nodes))
}

// ratio formats a quotient: 0.65, or "-" if there is none.
func ratio(a, b float64) string {
	if b <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", a/b)
}
