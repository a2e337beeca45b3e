package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// before writes the object of a node, as another process, just before the controller's next
// request reaches the server.
func (f *fleet) before(method, name string, write func()) *atomic.Bool {
	var done atomic.Bool
	f.requests.fail(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.Method == method && strings.HasSuffix(request.URL.Path, "/machineconfignodes/"+name) && !done.Load() {
			write()
			done.Store(true)
		}
		return next.RoundTrip(request)
	})
	return &done
}

// TestRolloutLosesNoWriteOfOthers: another process writes just before an apply and a delete of the
// controller. Each conflicts, and is computed again.
func TestRolloutLosesNoWriteOfOthers(t *testing.T) {
	f := newFleet(t)
	f.run()
	f.node("raced", "worker", "rendered-1")
	before := f.eventually("raced", hasSpec("worker", "rendered-1"))
	mcns := f.nodes()
	annotate := func(key string) {
		_, err := mcns.Patch(t.Context(), "raced", types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+key+`":"x"}}}`), metav1.PatchOptions{})
		assert.NoError(t, err)
	}
	done := f.before(http.MethodPatch, "raced", func() { annotate("example.com/apply") })
	f.patch("raced", "annotations.desiredConfig=rendered-2")
	mcn := f.eventually("raced", hasSpec("worker", "rendered-2"))
	require.True(t, done.Load())
	assert.Equal(t, "x", mcn.Annotations["example.com/apply"])
	conflicts := f.requests.answered(http.StatusConflict)
	assert.Positive(t, conflicts, "the apply carries the resource version")

	done = f.before(http.MethodDelete, "raced", func() { annotate("example.com/delete") })
	require.NoError(t, f.core.CoreV1().Nodes().Delete(t.Context(), "raced", metav1.DeleteOptions{}))
	f.node("raced", "worker", "rendered-2")
	f.eventually("raced", func(mcn *mcfgv1.MachineConfigNode) bool { return mcn != nil && mcn.UID != before.UID })
	require.True(t, done.Load())
	assert.Greater(t, f.requests.answered(http.StatusConflict), conflicts, "and so does the delete")
}

// TestRolloutBesideTheOperator: the operator's own sync and its node controller write the same objects. The
// one updates owner, node and pool with the resourceVersion that it has read; the other writes the
// desired config into the spec just before it annotates the Node. The spec ends as the Node says.
func TestRolloutBesideTheOperator(t *testing.T) {
	f := newFleet(t)
	f.run()
	node := f.node("beside", "worker", "rendered-1")
	f.eventually("beside", hasSpec("worker", "rendered-1"))
	mcns := f.nodes()
	conflicts := 0
	for i := 2; i <= 20; i++ {
		config := fmt.Sprint("rendered-", i)
		read, err := mcns.Get(t.Context(), "beside", metav1.GetOptions{})
		require.NoError(t, err)
		_, err = mcns.Patch(t.Context(), "beside", types.MergePatchType, []byte(`{"spec":{"configVersion":{"desired":"`+config+`"}}}`), metav1.PatchOptions{FieldManager: "machine-config-controller"})
		require.NoError(t, err)
		f.patch("beside", "annotations.desiredConfig="+config)
		if i%2 == 0 { // else its cache is behind
			read, err = mcns.Get(t.Context(), "beside", metav1.GetOptions{})
			require.NoError(t, err)
		}
		read.OwnerReferences = []metav1.OwnerReference{node.owner()}
		read.Spec.Node.Name, read.Spec.Pool.Name = node.name, "worker"
		if _, err = mcns.Update(t.Context(), read, metav1.UpdateOptions{FieldManager: "machine-config-operator"}); apierrors.IsConflict(err) {
			conflicts++
		} else {
			require.NoError(t, err)
		}
	}
	mcn := f.eventually("beside", hasSpec("worker", "rendered-20"))
	assert.Len(t, mcn.OwnerReferences, 1)
	t.Logf("%d conflicts of the operator's sync in 19 syncs, %d of rollout", conflicts, f.requests.answered(http.StatusConflict))
}
