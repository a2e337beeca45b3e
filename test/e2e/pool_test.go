package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// poolWorld is a pool of nodes, and the administrator's view of it.
type poolWorld struct {
	t      *testing.T
	name   string
	label  string // of its nodes
	nodes  []*world
	admin  *mcfgclientset.Clientset
	core   *kubernetes.Clientset
	looked chan struct{} // told when a controller looks at the pool
	faults *faults       // of the controller's writes
}

// newPoolWorld is a pool of n nodes that run the old config, each Ready.
func newPoolWorld(t *testing.T, name string, n int) *poolWorld {
	t.Helper()
	require.NoError(t, cluster.InstallPoolCRD(t.Context(), standard.Config()))
	require.NoError(t, installOperator(t.Context(), standard.Config()))
	w := &poolWorld{t: t, name: name, label: "e2e.upgrademonitor/" + name}
	var err error
	w.admin, err = mcfgclientset.NewForConfig(standard.Config())
	require.NoError(t, err)
	w.core, err = kubernetes.NewForConfig(standard.Config())
	require.NoError(t, err)
	_, err = w.pools().Create(t.Context(), w.object(oldConfig), metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(w.clean)
	for i := range n {
		node := newWorld(t, fmt.Sprintf("%s-%d", name, i))
		w.nodes = append(w.nodes, node)
		w.patchNode(i, fmt.Sprintf(`{"metadata":{"labels":{%q:""}}}`, w.label))
		w.patchNode(i, `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, "status")
		node.settle()
	}
	return w
}

func (w *poolWorld) object(config string) *mcfgv1.MachineConfigPool {
	p := &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: w.name},
		Spec:       mcfgv1.MachineConfigPoolSpec{NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{w.label: ""}}},
	}
	p.Spec.Configuration.Name = config
	return p
}

// clean deletes the pool and its nodes, so that other tests see none of them.
func (w *poolWorld) clean() {
	ctx := context.Background()
	assert.NoError(w.t, w.pools().Delete(ctx, w.name, metav1.DeleteOptions{}))
	for _, node := range w.nodes {
		assert.NoError(w.t, w.core.CoreV1().Nodes().Delete(ctx, node.name, metav1.DeleteOptions{}))
		assert.NoError(w.t, w.admin.MachineconfigurationV1().MachineConfigNodes().Delete(ctx, node.name, metav1.DeleteOptions{}))
	}
}

func (w *poolWorld) pools() interface {
	Create(context.Context, *mcfgv1.MachineConfigPool, metav1.CreateOptions) (*mcfgv1.MachineConfigPool, error)
	UpdateStatus(context.Context, *mcfgv1.MachineConfigPool, metav1.UpdateOptions) (*mcfgv1.MachineConfigPool, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Get(context.Context, string, metav1.GetOptions) (*mcfgv1.MachineConfigPool, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*mcfgv1.MachineConfigPool, error)
} {
	return w.admin.MachineconfigurationV1().MachineConfigPools()
}

func (w *poolWorld) get() *mcfgv1.MachineConfigPool {
	w.t.Helper()
	p, err := w.pools().Get(w.t.Context(), w.name, metav1.GetOptions{})
	require.NoError(w.t, err)
	return p
}

func (w *poolWorld) patch(body string) {
	w.t.Helper()
	_, err := w.pools().Patch(w.t.Context(), w.name, types.MergePatchType, []byte(body), metav1.PatchOptions{})
	require.NoError(w.t, err)
}

func (w *poolWorld) patchNode(i int, body string, subresource ...string) {
	w.t.Helper()
	_, err := w.core.CoreV1().Nodes().Patch(w.t.Context(), w.nodes[i].name, types.StrategicMergePatchType, []byte(body), metav1.PatchOptions{}, subresource...)
	require.NoError(w.t, err)
}

// control runs a Controller in a process of its own. stop ends it.
func (w *poolWorld) control() (counted *requests, stop func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	w.looked = make(chan struct{}, 1)
	counted = &requests{}
	config := asOperator(standard.Config())
	w.faults = &faults{}
	config.Wrap(w.faults.wrap)
	config.Wrap(counted.wrap)
	writer, err := mcfgclientset.NewForConfig(config)
	require.NoError(w.t, err)
	nodes, err := kubernetes.NewForConfig(asOperator(standard.Config()))
	require.NoError(w.t, err)
	reader, err := mcfgclientset.NewForConfig(asOperator(standard.Config()))
	require.NoError(w.t, err)
	kube := informers.NewSharedInformerFactoryWithOptions(nodes, 0, informers.WithTransform(pool.Trim))
	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(reader, 0, mcfginformers.WithTransform(pool.Trim))
	controller, err := pool.New(pool.Config{
		Client:             writer,
		Nodes:              kube.Core().V1().Nodes(),
		Pools:              mcfg.Machineconfiguration().V1().MachineConfigPools(),
		MachineConfigNodes: mcfg.Machineconfiguration().V1().MachineConfigNodes(),
		Image:              w.look,
		Interval:           10 * time.Millisecond,
	})
	require.NoError(w.t, err)
	kube.StartWithContext(ctx)
	mcfg.StartWithContext(ctx)
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx, 2) }()
	stop = func() {
		cancel()
		require.NoError(w.t, <-ended)
		kube.Shutdown()
		mcfg.Shutdown()
	}
	return counted, stop
}

// look tells that the pool is looked at. It wants no image.
func (w *poolWorld) look(p *mcfgv1.MachineConfigPool) string {
	if p.Name == w.name {
		select {
		case w.looked <- struct{}{}:
		default:
		}
	}
	return ""
}

// until waits for the pool to be as it should.
func (w *poolWorld) until(is func(mcfgv1.MachineConfigPoolStatus) bool) {
	w.t.Helper()
	err := wait.PollUntilContextTimeout(w.t.Context(), 5*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		return is(w.get().Status), nil
	})
	require.NoError(w.t, err, "%+v", w.get().Status)
}

// shows waits for the row of `kubectl get machineconfigpools`, less NAME and AGE.
func (w *poolWorld) shows(want string) {
	w.t.Helper()
	want = strings.NewReplacer("old", oldConfig, "new", newConfig).Replace(want)
	row := ""
	err := wait.PollUntilContextTimeout(w.t.Context(), 5*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		out, err := standard.Kubectl(ctx, "get", "machineconfigpools", w.name, "--no-headers")
		if cells := strings.Fields(out); len(cells) > 2 {
			row = strings.Join(cells[1:len(cells)-1], " ")
		}
		return row == want, err
	})
	require.NoError(w.t, err, "want %s\n got %s", want, row)
}

// TestRowsOfAPool watches a pool of two nodes go through an update, as an admin would.
func TestRowsOfAPool(t *testing.T) {
	w := newPoolWorld(t, "rows-of-a-pool", 2)
	counted, stop := w.control()
	// CONFIG UPDATED UPDATING DEGRADED MACHINECOUNT READYMACHINECOUNT UPDATEDMACHINECOUNT DEGRADEDMACHINECOUNT
	w.shows("old True False False 2 2 2 0")
	w.patch(fmt.Sprintf(`{"spec":{"configuration":{"name":%q},"paused":true}}`, newConfig))
	w.shows("old False False False 2 0 0 0")
	w.patch(`{"spec":{"paused":false}}`)
	w.shows("old False True False 2 0 0 0")

	first, _ := w.nodes[0].monitor(w.name)
	require.NoError(t, first.ReportDegraded(t.Context(), errors.New("disk full")))
	w.shows("old False True True 2 0 0 1")
	require.NoError(t, first.ReportDegraded(t.Context(), nil))
	w.nodes[0].rebootUpdate(first)
	w.shows("old False True False 2 1 1 0")
	w.patchNode(0, `{"spec":{"unschedulable":true}}`)
	w.shows("old False True False 2 0 1 0")

	second, _ := w.nodes[1].monitor(w.name)
	w.nodes[1].rebootUpdate(second)
	w.shows("new True False False 2 1 2 0")
	w.patchNode(0, `{"spec":{"unschedulable":false}}`)
	w.shows("new True False False 2 2 2 0")
	stop()
	t.Logf("%s", counted)
	assert.Zero(t, counted.answered(http.StatusConflict), "nobody else wrote")
	assert.Equal(t, counted.all(), counted.of("status"))

	counted, stop = w.control()
	<-w.looked
	w.patchNode(1, `{"metadata":{"labels":{"another":"label"}}}`)
	<-w.looked // so that the first look has ended
	stop()
	assert.Zero(t, counted.all(), "a restart in a settled cluster")
}

// TestOthersWriteAPool has another process write its own condition of a pool again and again,
// while a node goes up and down.
func TestOthersWriteAPool(t *testing.T) {
	const times = 25
	w := newPoolWorld(t, "others-write-a-pool", 1)
	counted, stop := w.control()
	m, _ := w.nodes[0].monitor(w.name)
	for i := range times {
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			p := w.get()
			p.Status.Conditions = append(withoutRender(p.Status.Conditions), mcfgv1.MachineConfigPoolCondition{
				Type: mcfgv1.MachineConfigPoolRenderDegraded, Status: corev1.ConditionTrue, Reason: "Render", Message: fmt.Sprint(i)})
			_, err := w.pools().UpdateStatus(t.Context(), p, metav1.UpdateOptions{FieldManager: "render"})
			return err
		})
		require.NoError(t, err)
		if i%2 == 0 {
			require.NoError(t, m.ReportDegraded(t.Context(), fmt.Errorf("trouble %d", i)))
		}
	}
	w.until(func(s mcfgv1.MachineConfigPoolStatus) bool {
		return poolSays(s, mcfgv1.MachineConfigPoolNodeDegraded, fmt.Sprintf("trouble %d", times-1))
	})
	stop()
	t.Logf("%s, %d conflicts", counted, counted.answered(http.StatusConflict))
	status := w.get().Status
	assert.True(t, poolSays(status, mcfgv1.MachineConfigPoolRenderDegraded, fmt.Sprint(times-1)), "%+v", status.Conditions)
	assert.True(t, poolSays(status, mcfgv1.MachineConfigPoolDegraded, "NodeDegraded, RenderDegraded"), "%+v", status.Conditions)
	assert.LessOrEqual(t, counted.answered(http.StatusConflict), times, "no more than there were writes of others")
	assert.Zero(t, counted.answered(http.StatusUnprocessableEntity))
}

func withoutRender(list []mcfgv1.MachineConfigPoolCondition) (rest []mcfgv1.MachineConfigPoolCondition) {
	for _, c := range list {
		if c.Type != mcfgv1.MachineConfigPoolRenderDegraded {
			rest = append(rest, c)
		}
	}
	return rest
}

// poolSays reports whether a condition of a pool is True, with a message that has the words.
func poolSays(s mcfgv1.MachineConfigPoolStatus, as mcfgv1.MachineConfigPoolConditionType, words string) bool {
	for _, c := range s.Conditions {
		if c.Type == as {
			return c.Status == corev1.ConditionTrue && strings.Contains(c.Message, words)
		}
	}
	return false
}

// TestPoolOfBrokenNodes has a server take the status of a pool of which all nodes have much to
// complain about, and gives it out again as it was.
func TestPoolOfBrokenNodes(t *testing.T) {
	w := newPoolWorld(t, "pool-of-broken-nodes", 0)
	var nodes []*corev1.Node
	var mcns []*mcfgv1.MachineConfigNode
	for i := range 5000 {
		meta := metav1.ObjectMeta{Name: fmt.Sprintf("broken-%d", i)}
		nodes = append(nodes, &corev1.Node{ObjectMeta: meta})
		mcns = append(mcns, &mcfgv1.MachineConfigNode{ObjectMeta: meta, Status: mcfgv1.MachineConfigNodeStatus{Conditions: []metav1.Condition{
			{Type: string(mcfgv1.MachineConfigNodeNodeDegraded), Status: metav1.ConditionTrue, Message: strings.Repeat("é", 32768)},
			{Type: string(mcfgv1.MachineConfigNodePinnedImageSetsDegraded), Status: metav1.ConditionTrue, Message: strings.Repeat("x", 32768)},
		}}})
	}
	p := w.get()
	p.Status = pool.Status(p, nodes, mcns, "", metav1.Now())
	written, err := w.pools().UpdateStatus(t.Context(), p, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, int32(5000), written.Status.DegradedMachineCount)
	again := pool.Status(written, nodes, mcns, "", metav1.Now())
	assert.True(t, equality.Semantic.DeepEqual(written.Status, again), "what is read is what was written")
}
