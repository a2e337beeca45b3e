package upgrademonitor_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
)

// One Monitor is safe for any number of goroutines.
func TestManyGoroutinesOnAHealthyServer(t *testing.T) {
	synctest.Test(t, manyGoroutines)
}

func manyGoroutines(t *testing.T) {
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
			if f.GenerateAndApplyMachineConfigNode(context.Background(), phases.NodeDegraded, "NodeDegraded", fmt.Sprint("cause ", i), metav1.ConditionTrue) != nil {
				rejected.Add(1)
			}
		})
	}
	wg.Wait()
	assert.Zero(t, rejected.Load(), "reports not accepted by a Monitor on a healthy server")
}
