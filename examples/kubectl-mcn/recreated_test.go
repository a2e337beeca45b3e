package main

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestANodeThatIsCreatedAgain starts anew, also if its deletion was missed or comes late.
func TestANodeThatIsCreatedAgain(t *testing.T) {
	object := func(uid types.UID, begin time.Time) *mcfgv1.MachineConfigNode {
		n := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
		n.UID = uid
		update(n, newConfig, begin, phases.Drained, noop)
		return n
	}
	trim := trimmerOf(choice{})
	trim.store.replace(nodesResource, []any{trim.node(object("a", now.Add(-time.Hour)))})
	trim.store.replace(nodesResource, []any{trim.node(object("b", now.Add(-time.Minute)))})
	spans := trim.store.spans()
	assert.Equal(t, now.Add(-time.Minute), spans[0].From)

	trim.store.remove(&trimmedNode{ObjectMeta: trimMeta(object("a", now).ObjectMeta)})
	assert.Equal(t, spans, trim.store.spans())
	assert.Len(t, trim.store.nodes, 1)
	trim.store.remove(&trimmedNode{ObjectMeta: trimMeta(object("b", now).ObjectMeta)})
	assert.Empty(t, trim.store.spans())
	assert.Empty(t, trim.store.nodes)
}

// TestWaitForANodeThatIsCreatedAgain: the new one has not been stuck for as long as the old one.
func TestWaitForANodeThatIsCreatedAgain(t *testing.T) {
	j := newJudge(waiting{tolerate: 5 * time.Minute}, now)
	for minute, uid := range []types.UID{"a", "a", "a", "a", "b", "b", "b", "b", "b", "b"} {
		p := hanging("b", time.Time{})
		p.Stuck[0].Node.UID = uid
		got := j.judge(view{time: now.Add(time.Duration(minute) * time.Minute), pools: []progress.Pool{p}, filled: true})
		assert.Equal(t, minute == 9, got.err != nil, "minute %d", minute)
	}
}
