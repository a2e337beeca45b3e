package components_test

import (
	"strconv"
	"testing"
	"time"

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
	b.Run("error", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Begin(components.OperatorSyncMCP, "").End(errDaemons)
		}
	})
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

// BenchmarkDaemons is the cost of the operator's judgement of 5,000 nodes.
func BenchmarkDaemons(b *testing.B) {
	list := nodes(0)
	for len(list) < 5000 {
		list = append(list, list[:6]...)
	}
	for b.Loop() {
		components.Daemons(daemonSet(), list, time.Time{})
	}
}
