package e2e

import (
	"context"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// version is an object as a watch received it. Lists are not only decoded: others may have fields,
// and times, that Go's types do not keep.
type version struct {
	object     *mcfgv1.MachineConfigNode // without conditions
	conditions []map[string]any
	imageSets  []map[string]any
}

func newVersion(u *unstructured.Unstructured) (*version, error) {
	v := &version{object: &mcfgv1.MachineConfigNode{}}
	for name, list := range map[string]*[]map[string]any{"conditions": &v.conditions, "pinnedImageSets": &v.imageSets} {
		items, _, err := unstructured.NestedSlice(u.Object, "status", name)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			*list = append(*list, item.(map[string]any))
		}
	}
	unstructured.RemoveNestedField(u.Object, "status", "conditions")
	return v, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, v.object)
}

// versionsKept is the number of versions in which a state is looked for that is older than the
// last one.
const versionsKept = 512

// versions keeps the last versions of one object that a watch received.
type versions struct {
	t        *testing.T
	client   dynamic.ResourceInterface
	selector string
	received func(*version)
	stop     func() // returns when received is not called any more

	mu    sync.Mutex
	byRV  map[string]*version
	order []string
}

// newVersions starts the watch, which calls a function with each version.
func newVersions(t *testing.T, c *cluster.Cluster, name string, received func(*version)) *versions {
	t.Helper()
	client, err := dynamic.NewForConfig(c.Config())
	require.NoError(t, err)
	v := &versions{
		t:        t,
		client:   client.Resource(mcfgv1.GroupVersion.WithResource("machineconfignodes")),
		selector: fields.OneTermEqualSelector("metadata.name", name).String(),
		received: received,
		byRV:     map[string]*version{},
	}
	ctx, cancel := context.WithCancel(context.Background())
	events, err := v.start(ctx)
	require.NoError(t, err)
	var ended sync.WaitGroup
	ended.Go(func() { v.run(ctx, events) })
	v.stop = func() { cancel(); ended.Wait() }
	return v
}

// start lists the object, and watches it from there.
func (v *versions) start(ctx context.Context) (watch.Interface, error) {
	list, err := v.client.List(ctx, metav1.ListOptions{FieldSelector: v.selector})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		v.add(&list.Items[i])
	}
	return v.client.Watch(ctx, metav1.ListOptions{FieldSelector: v.selector, ResourceVersion: list.GetResourceVersion()})
}

// run receives until ctx ends, and starts the watch again when the server ends it. Versions may be
// missed then.
func (v *versions) run(ctx context.Context, events watch.Interface) {
	for {
		v.receive(ctx, events)
		err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			next, err := v.start(ctx)
			events = next
			return err == nil, nil
		})
		if err != nil {
			return
		}
	}
}

func (v *versions) receive(ctx context.Context, events watch.Interface) {
	defer events.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-events.ResultChan():
			object, isObject := event.Object.(*unstructured.Unstructured)
			if !ok || !isObject {
				return
			}
			if event.Type != watch.Deleted {
				v.add(object)
			}
		}
	}
}

func (v *versions) add(u *unstructured.Unstructured) {
	object, err := newVersion(u)
	if err != nil {
		v.t.Errorf("watch: %v", err)
		return
	}
	v.mu.Lock()
	v.byRV[u.GetResourceVersion()] = object
	v.order = append(v.order, u.GetResourceVersion())
	if len(v.order) > versionsKept {
		delete(v.byRV, v.order[0])
		v.order = v.order[1:]
	}
	v.mu.Unlock()
	v.received(object)
}

func (v *versions) get(resourceVersion string) *version {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.byRV[resourceVersion]
}

// read returns the version that the object had at a resource version, which is nil where that is
// not one of the object.
func (v *versions) read(ctx context.Context, resourceVersion string) (*version, error) {
	list, err := v.client.List(ctx, metav1.ListOptions{
		FieldSelector:        v.selector,
		ResourceVersion:      resourceVersion,
		ResourceVersionMatch: metav1.ResourceVersionMatchExact,
	})
	if err != nil || len(list.Items) == 0 || list.Items[0].GetResourceVersion() != resourceVersion {
		return nil, err
	}
	return newVersion(&list.Items[0])
}
