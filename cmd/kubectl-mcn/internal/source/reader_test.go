package source

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// A watch that reconnects within two seconds is not an outage, however many there were before.
func TestOutagesAreSeparate(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC))
	s := NewStore(cluster.Limits{})
	s.resources[coreNodes] = &access{listed: true, watched: true}
	r := reader{Cluster: &Cluster{Config: &rest.Config{}, Clock: clock}, store: s, name: coreNodes, follow: true}
	pass := func(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }
	for range 2 {
		r.responded("watch")
		responded := clock.Now()
		pass(time.Hour)
		for range 2 {
			r.failed(t.Context(), "watch", errors.New("connection reset"))
			assert.Zero(t, s.View(clock.Now()).LastContact)
			pass(time.Second)
		}
		assert.Equal(t, responded, s.View(clock.Now()).LastContact)
	}
}
