package upgrademonitor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// One Monitor is safe for any number of goroutines.
func TestManyGoroutinesOnAHealthyServer(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.clientset.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		<-time.After(5 * time.Millisecond) // the latency of a server
		return false, nil, nil
	})
	var wg sync.WaitGroup
	var rejected atomic.Int32
	for i := range 300 {
		wg.Go(func() {
			if errors.Is(f.ReportDegraded(context.Background(), fmt.Errorf("cause %d", i)), upgrademonitor.ErrQueueFull) {
				rejected.Add(1)
			}
		})
	}
	wg.Wait()
	assert.Zero(t, rejected.Load(), "reports not accepted by a Monitor on a healthy server")
}
