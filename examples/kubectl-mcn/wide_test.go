package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/phases"
)

// TestWideCutsNothing: neither a message, of a snapshot and of a move, nor the list of nodes.
func TestWideCutsNothing(t *testing.T) {
	message := strings.TrimSpace(strings.Repeat("cannot evict\x07 pod\n", 1500))
	text := strings.ReplaceAll(strings.ReplaceAll(message, "\n", " "), "\x07", `\x07`)
	objects := []runtime.Object{newPool("worker", newConfig)}
	for i := range 50 {
		objects = append(objects, newNode(fmt.Sprintf("node-%d", i), "worker", oldConfig, now.Add(-24*time.Hour)))
	}
	n := newNode("degraded", "worker", oldConfig, now.Add(-24*time.Hour))
	update(n, newConfig, now.Add(-time.Hour), phases.Drained, noop)
	report(n, phases.NodeDegraded, metav1.ConditionTrue, now.Add(-time.Minute), message)
	list := asList(t, append(objects, n)...)

	for _, args := range [][]string{{}, {"-w"}, {"--state", "stuck"}} {
		got := execute(t, list, append(args, "-f", "-")...)
		assert.NotContains(t, got.stdout, text, args)
		got = execute(t, list, append(args, "-f", "-", "-o", "wide")...)
		assert.Contains(t, got.stdout, text, args)
	}
	for format, rows := range map[string]int{"": 19, "wide": 50, "json": 50, "yaml": 50} {
		got := execute(t, list, "-f", "-", "--state", "waiting", "-o", format)
		assert.Equal(t, rows, strings.Count(got.stdout, "node-"), format)
	}
}
