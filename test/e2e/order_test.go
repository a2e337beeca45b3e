package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// An order that comes before or after any report of an update is not taken up by this update, whether or not an operator
// writes the spec. The response to the report behind the order is lost, and then the process restarts. Package planner tests
// each order with a restart and a lost response at each report.
func TestAnUpdateDoesNotTakeUpALaterOrder(t *testing.T) {
	images := func(n int) string { return fmt.Sprintf("quay.io/os@sha256:%064d", n) }
	for _, tc := range []struct {
		name                 string
		cluster              *cluster.Cluster
		calls                []call
		before, order, other version
	}{
		{"standard", standard, rebootCalls, version{config: oldConfig}, version{config: newConfig}, version{config: "rendered-other"}},
		{"image", withImages.get(t), imageCalls, version{oldConfig, images(1)}, version{newConfig, images(2)}, version{newConfig, images(3)}},
	} {
		for _, hasOperator := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s mode with operator %t", tc.name, hasOperator), func(t *testing.T) {
				t.Parallel()
				for at := range len(tc.calls) + 1 {
					w := unguardedNodeOn(t, tc.cluster, fmt.Sprintf("order-%s-%t-%d", tc.name, hasOperator, at))
					w.imageMode = tc.name == "image"
					o := &orderedNode{testNode: w, runs: tc.before, prepared: []version{tc.before}}
					if hasOperator {
						o.operator = w.writeSpec
					}
					o.config = o.losing()
					o.order(tc.before)
					m, _ := w.monitor("master")
					call{phases.Updated, done, nil}.make(t, m)
					o.history = watchFrom(t, w)
					o.order(tc.order)
					o.update(m, tc.calls, at, tc.other)
					o.update(m, tc.calls, len(tc.calls)+1, version{})
					o.history.check()
					require.True(t, o.done, "the last order is done")
				}
			})
		}
	}
}

// imageCalls has the reports of an update in image mode.
var imageCalls = []call{
	{phases.Updated, no, nil},
	{phases.UpdatePrepared, done, nil},
	{phases.Drained, done, nil},
	{phases.AppliedFiles, done, nil},
	{phases.AppliedOSImage, running, nil},
	{phases.AppliedOSImage, done, completesParent},
	{phases.RebootedNode, done, nil},
	{phases.Uncordoned, done, completesParent},
	{phases.Updated, done, nil},
}

// orderedNode is a node that gets orders.
type orderedNode struct {
	*testNode
	operator      func(version) // writes an order to the spec, or nil
	runs, desires version
	prepared      []version   // the orders that UpdatePrepared=True was about
	loses         atomic.Bool // the response to the next write is lost
	history       *history
	checked       int  // the number of versions that were checked
	done          bool // clients know of the last version that the last order is done
}

// losing returns the configuration of a client that loses the response to a write if loses is set.
func (o *orderedNode) losing() *rest.Config {
	config := rest.CopyConfig(o.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(r)
			if err == nil && r.Method == http.MethodPatch && o.loses.CompareAndSwap(true, false) {
				return nil, errors.Join(response.Body.Close(), errors.New("connection reset"))
			}
			return response, err
		})
	})
	return config
}

func (o *orderedNode) order(v version) {
	o.desires = v
	o.annotateVersions(o.runs, o.desires)
	if o.operator != nil {
		o.operator(v)
	}
}

// update makes the calls of an update. Before the call with the number at, another order comes, and the response to this call is
// lost. The process restarts before the call behind it, if the daemon does not take up the other order then.
func (o *orderedNode) update(m *upgrademonitor.Monitor, calls []call, at int, other version) {
	var order version
	for i, c := range calls {
		if i == at {
			o.order(other)
			o.loses.Store(true)
		}
		if i == at+1 && i > 1 {
			m, _ = o.monitor("master")
		}
		switch {
		case i == 0:
			order = o.desires
		case c.phase == phases.UpdatePrepared:
			o.prepared = append(o.prepared, order)
		case i == len(calls)-1:
			o.runs = order
			o.annotateVersions(o.runs, o.desires)
		}
		c.queue(o.t, m)
		require.NoError(o.t, m.Flush(o.t.Context()))
		require.False(o.t, o.loses.Load(), "the response to %s was lost", c)
		o.check()
	}
	if at == len(calls) {
		o.order(other)
	}
}

// check checks the versions since the last check: the status desires what the daemon has prepared, and Updated=True at the
// observed generation means that the node runs what the spec desires.
func (o *orderedNode) check() {
	o.t.Helper()
	o.history.catchUp()
	for ; o.checked < len(o.history.events); o.checked++ {
		e := o.history.events[o.checked]
		spec := version{e.Spec.ConfigVersion.Desired, string(e.Spec.ConfigImage.DesiredImage)}
		status := version{e.Status.ConfigVersion.Desired, string(e.Status.ConfigImage.DesiredImage)}
		require.Contains(o.t, o.prepared, status, "version %s", e.ResourceVersion)
		o.done = conditions.StatusOf(e.Status.Conditions, phases.Updated) == metav1.ConditionTrue && e.Status.ObservedGeneration == e.Generation
		if o.done {
			require.Equal(o.t, []version{o.runs, o.runs}, []version{spec, status}, "version %s", e.ResourceVersion)
		}
	}
}

// writeSpec writes the spec as the operator does, if the object exists.
func (w *testNode) writeSpec(v version) {
	w.t.Helper()
	image := "null"
	if v.image != "" {
		image = fmt.Sprintf(`{"desiredImage":%q}`, v.image)
	}
	patch := fmt.Sprintf(`{"spec":{"configVersion":{"desired":%q},"configImage":%s}}`, v.config, image)
	list, err := w.admin.List(w.t.Context(), only(w.name))
	require.NoError(w.t, err)
	if len(list.Items) > 0 {
		_, err = w.admin.Patch(context.WithoutCancel(w.t.Context()), w.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "operator"})
		require.NoError(w.t, err)
	}
}
