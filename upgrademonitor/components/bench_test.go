package components_test

import (
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// BenchmarkBeginEnd is the cost of a step: at most 5 µs.
func BenchmarkBeginEnd(b *testing.B) {
	m := newMemory()
	r, err := components.New(components.Config{Client: m, Lister: m.lister(), Component: components.Operator})
	require.NoError(b, err)
	for _, key := range []string{"", "worker"} {
		b.Run("key "+key, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Begin(components.OperatorSyncMCP, key).End(nil)
			}
		})
	}
	for name, err := range passErrors {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Begin(components.OperatorSyncMCP, "").End(err)
			}
		})
	}
}

// passErrors are short and long: what a long one contains must not matter.
var passErrors = map[string]error{
	"short error":                   errDaemons,
	"8 kB error":                    errors.New(strings.Repeat("timed out waiting for \"x\" ", 320)),
	"8 kB error of blank lines":     errors.New(strings.Repeat("\n", 8<<10)),
	"8 kB error of multi-byte text": errors.New(strings.Repeat("世界", 8<<10/6)),
	"1 MB error":                    errors.New(strings.Repeat("<\n", 1<<19)),
}

// TestAllocationsOfAPass are few, and their size does not grow with the error.
func TestAllocationsOfAPass(t *testing.T) {
	m := newMemory()
	r, err := components.New(components.Config{Client: m, Lister: m.lister(), Component: components.Operator})
	require.NoError(t, err)
	pass := func(err error) func() {
		return func() { r.Begin(components.OperatorSyncMCP, "").End(err) }
	}
	assert.LessOrEqual(t, testing.AllocsPerRun(100, pass(nil)), 2.0)
	for name, err := range passErrors {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		allocations := testing.AllocsPerRun(100, pass(err))
		runtime.ReadMemStats(&after)
		bytes := (after.TotalAlloc - before.TotalAlloc) / 101
		t.Logf("%s: %.0f allocations, %d bytes", name, allocations, bytes)
		assert.LessOrEqual(t, allocations, 3.0, name)
		assert.LessOrEqual(t, bytes, uint64(8<<10), name)
	}
}

// BenchmarkBeginEndWithErrors is the same with the maximum of unresolved errors.
func BenchmarkBeginEndWithErrors(b *testing.B) {
	m := newMemory()
	r, err := components.New(components.Config{Client: m, Lister: m.lister(), Component: components.Operator})
	require.NoError(b, err)
	for i := range 100 {
		r.Begin(components.OperatorSyncMCP, strconv.Itoa(i)).End(errDaemons)
	}
	for b.Loop() {
		r.Begin(components.OperatorSync, "").End(errDaemons)
	}
}
