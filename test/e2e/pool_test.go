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

// poolFixture is a pool of nodes, with an administrator's clients.
type poolFixture struct {
	t      *testing.T
	name   string
	label  string // of its nodes
	nodes  []*testNode
	admin  *mcfgclientset.Clientset
	core   *kubernetes.Clientset
	synced chan struct{} // receives when a controller syncs the pool
	faults *faults       // of the controller's writes
}

// newPoolFixture creates a pool of n Ready nodes that run the old config.
func newPoolFixture(t *testing.T, name string, n int) *poolFixture {
	t.Helper()
	require.NoError(t, cluster.InstallPoolCRD(t.Context(), standard.Config()))
	require.NoError(t, installOperator(t.Context(), standard.Config()))
	w := &poolFixture{t: t, name: name, label: "e2e.upgrademonitor/" + name}
	var err error
	w.admin, err = mcfgclientset.NewForConfig(standard.Config())
	require.NoError(t, err)
	w.core, err = kubernetes.NewForConfig(standard.Config())
	require.NoError(t, err)
	_, err = w.pools().Create(t.Context(), w.object(oldConfig), metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(w.clean)
	for i := range n {
		node := newTestNode(t, fmt.Sprintf("%s-%d", name, i))
		w.nodes = append(w.nodes, node)
		w.patchNode(i, fmt.Sprintf(`{"metadata":{"labels":{%q:""}}}`, w.label))
		w.patchNode(i, `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, "status")
		node.reportUpdated()
	}
	return w
}

func (w *poolFixture) object(config string) *mcfgv1.MachineConfigPool {
	p := &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: w.name},
		Spec:       mcfgv1.MachineConfigPoolSpec{NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{w.label: ""}}},
	}
	p.Spec.Configuration.Name = config
	return p
}

// clean deletes the pool and its nodes, so that they do not affect other tests.
func (w *poolFixture) clean() {
	ctx := context.Background()
	assert.NoError(w.t, w.pools().Delete(ctx, w.name, metav1.DeleteOptions{}))
	for _, node := range w.nodes {
		assert.NoError(w.t, w.core.CoreV1().Nodes().Delete(ctx, node.name, metav1.DeleteOptions{}))
		assert.NoError(w.t, w.admin.MachineconfigurationV1().MachineConfigNodes().Delete(ctx, node.name, metav1.DeleteOptions{}))
	}
}

func (w *poolFixture) pools() interface {
	Create(context.Context, *mcfgv1.MachineConfigPool, metav1.CreateOptions) (*mcfgv1.MachineConfigPool, error)
	UpdateStatus(context.Context, *mcfgv1.MachineConfigPool, metav1.UpdateOptions) (*mcfgv1.MachineConfigPool, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Get(context.Context, string, metav1.GetOptions) (*mcfgv1.MachineConfigPool, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*mcfgv1.MachineConfigPool, error)
} {
	return w.admin.MachineconfigurationV1().MachineConfigPools()
}

func (w *poolFixture) get() *mcfgv1.MachineConfigPool {
	w.t.Helper()
	p, err := w.pools().Get(w.t.Context(), w.name, metav1.GetOptions{})
	require.NoError(w.t, err)
	return p
}

func (w *poolFixture) patch(body string) {
	w.t.Helper()
	_, err := w.pools().Patch(w.t.Context(), w.name, types.MergePatchType, []byte(body), metav1.PatchOptions{})
	require.NoError(w.t, err)
}

func (w *poolFixture) patchNode(i int, body string, subresource ...string) {
	w.t.Helper()
	_, err := w.core.CoreV1().Nodes().Patch(w.t.Context(), w.nodes[i].name, types.StrategicMergePatchType, []byte(body), metav1.PatchOptions{}, subresource...)
	require.NoError(w.t, err)
}

// control runs a Controller with clients of its own. stop stops it.
func (w *poolFixture) control() (counted *requests, stop func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	w.synced = make(chan struct{}, 1)
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
		Image:              w.image,
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

// image notes that the pool is synced. Its image is unknown.
func (w *poolFixture) image(p *mcfgv1.MachineConfigPool) pool.Image {
	if p.Name == w.name {
		select {
		case w.synced <- struct{}{}:
		default:
		}
	}
	return pool.Image{}
}

// until waits until the status of the pool passes a check.
func (w *poolFixture) until(check func(mcfgv1.MachineConfigPoolStatus) bool) {
	w.t.Helper()
	err := wait.PollUntilContextTimeout(w.t.Context(), 5*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		return check(w.get().Status), nil
	})
	require.NoError(w.t, err, "%+v", w.get().Status)
}

// waitForRow waits for the row of `kubectl get machineconfigpools`, without NAME and AGE.
func (w *poolFixture) waitForRow(want string) {
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

// TestRowsOfAPool: the rows that an administrator watches during an update of two nodes.
func TestRowsOfAPool(t *testing.T) {
	w := newPoolFixture(t, "rows-of-a-pool", 2)
	counted, stop := w.control()
	// CONFIG UPDATED UPDATING DEGRADED MACHINECOUNT READYMACHINECOUNT UPDATEDMACHINECOUNT DEGRADEDMACHINECOUNT
	w.waitForRow("old True False False 2 2 2 0")
	w.patch(fmt.Sprintf(`{"spec":{"configuration":{"name":%q},"paused":true}}`, newConfig))
	w.waitForRow("old False False False 2 0 0 0")
	w.patch(`{"spec":{"paused":false}}`)
	w.waitForRow("old False True False 2 0 0 0")

	first, _ := w.nodes[0].monitor(w.name)
	first.ReportDegraded(t.Context(), errors.New("disk full"))
	w.waitForRow("old False True True 2 0 0 1")
	first.ReportDegraded(t.Context(), nil)
	w.nodes[0].rebootUpdate(first)
	w.waitForRow("old False True False 2 1 1 0")
	w.patchNode(0, `{"spec":{"unschedulable":true}}`)
	w.waitForRow("old False True False 2 0 1 0")

	second, _ := w.nodes[1].monitor(w.name)
	w.nodes[1].rebootUpdate(second)
	w.waitForRow("new True False False 2 1 2 0")
	w.patchNode(0, `{"spec":{"unschedulable":false}}`)
	w.waitForRow("new True False False 2 2 2 0")
	stop()
	t.Logf("%s", counted)
	assert.Zero(t, counted.answered(http.StatusConflict), "no other process writes")
	assert.Equal(t, counted.all(), counted.of("status"))

	counted, stop = w.control()
	<-w.synced
	w.patchNode(1, `{"metadata":{"labels":{"another":"label"}}}`)
	<-w.synced // so that the first sync has ended
	stop()
	assert.Zero(t, counted.all(), "a restart without changes")
}

// TestOthersWriteAPool: another process writes its own condition of a pool again and again, while
// a node reports failures.
func TestOthersWriteAPool(t *testing.T) {
	const times = 25
	w := newPoolFixture(t, "others-write-a-pool", 1)
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
			m.ReportDegraded(t.Context(), fmt.Errorf("failure %d", i))
		}
	}
	w.until(func(s mcfgv1.MachineConfigPoolStatus) bool {
		return hasTrueCondition(s, mcfgv1.MachineConfigPoolNodeDegraded, fmt.Sprintf("failure %d", times-1))
	})
	stop()
	t.Logf("%s, %d conflicts", counted, counted.answered(http.StatusConflict))
	status := w.get().Status
	assert.True(t, hasTrueCondition(status, mcfgv1.MachineConfigPoolRenderDegraded, fmt.Sprint(times-1)), "%+v", status.Conditions)
	assert.True(t, hasTrueCondition(status, mcfgv1.MachineConfigPoolDegraded, "NodeDegraded: 1 node is degraded: ") && hasTrueCondition(status, mcfgv1.MachineConfigPoolDegraded, fmt.Sprintf(". RenderDegraded: %d", times-1)), "%+v", status.Conditions)
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

// hasTrueCondition reports whether a condition of a pool is True, with a message that contains a text.
func hasTrueCondition(s mcfgv1.MachineConfigPoolStatus, conditionType mcfgv1.MachineConfigPoolConditionType, text string) bool {
	for _, c := range s.Conditions {
		if c.Type == conditionType {
			return c.Status == corev1.ConditionTrue && strings.Contains(c.Message, text)
		}
	}
	return false
}

// TestPoolOfBrokenNodes: a server accepts, and returns unchanged, the status of a pool of 5,000
// degraded nodes with the longest messages.
func TestPoolOfBrokenNodes(t *testing.T) {
	w := newPoolFixture(t, "pool-of-broken-nodes", 0)
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
	p.Status = pool.Status(p, nodes, mcns, pool.Options{}, metav1.Now())
	written, err := w.pools().UpdateStatus(t.Context(), p, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, int32(5000), written.Status.DegradedMachineCount)
	again := pool.Status(written, nodes, mcns, pool.Options{}, metav1.Now())
	assert.True(t, equality.Semantic.DeepEqual(written.Status, again), "what is read is what was written")
}
