package components_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"testing"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	operatorv1client "github.com/openshift/client-go/operator/clientset/versioned/typed/operator/v1"
	operatorlisters "github.com/openshift/client-go/operator/listers/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// memory is a server with one MachineConfiguration, and an informer's cache of it. Of ownership, it knows
// only what each field manager has applied: the rest is tested on a real API server.
type memory struct {
	operatorv1client.MachineConfigurationInterface // no other method is called

	mu       sync.Mutex
	object   *operatorv1.MachineConfiguration // nil: it does not exist
	version  int
	applied  map[string][]string // types, by field manager
	bodies   []string            // of all attempted writes
	gets     int
	fail     func() error // fails a write if it returns an error
	lag      bool         // the informer receives no more events
	indexer  cache.Indexer
	handlers []cache.ResourceEventHandler
}

func newMemory() *memory {
	m := &memory{version: 100, applied: map[string][]string{}, indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})}
	m.create()
	return m
}

func (m *memory) lister() operatorlisters.MachineConfigurationLister {
	return operatorlisters.NewMachineConfigurationLister(m.indexer)
}

func (m *memory) create(list ...metav1.Condition) {
	m.change(func(*operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
		return &operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}, Status: operatorv1.MachineConfigurationStatus{Conditions: list}}
	})
}

// change writes the object as another process.
func (m *memory) change(f func(*operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store(f(m.object.DeepCopy()))
}

// store stores an object with a new version, and notifies the informer.
func (m *memory) store(next *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
	m.version++
	before := m.object
	if next != nil {
		next.ResourceVersion = strconv.Itoa(m.version)
	}
	m.object = next
	if m.lag {
		return next.DeepCopy()
	}
	if next == nil {
		_ = m.indexer.Delete(before)
	} else {
		_ = m.indexer.Add(next.DeepCopy())
	}
	for _, h := range m.handlers {
		switch {
		case next == nil:
			h.OnDelete(before)
		case before == nil:
			h.OnAdd(next, false)
		default:
			h.OnUpdate(before, next)
		}
	}
	return next.DeepCopy()
}

func (m *memory) ApplyStatus(_ context.Context, mc *applyoperatorv1.MachineConfigurationApplyConfiguration, options metav1.ApplyOptions) (*operatorv1.MachineConfiguration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.tried(mc); err != nil {
		return nil, err
	}
	if !options.Force || options.FieldManager == "" || mc.ResourceVersion != nil {
		return nil, apierrors.NewBadRequest("not a forced apply without a resource version")
	}
	next := m.object.DeepCopy()
	var names []string
	list := slices.Clone(next.Status.Conditions)
	for _, c := range mc.Status.Conditions {
		names = append(names, *c.Type)
		condition := metav1.Condition{Type: *c.Type, Status: *c.Status, LastTransitionTime: *c.LastTransitionTime, Reason: *c.Reason, Message: *c.Message}
		if at := slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == condition.Type }); at >= 0 {
			list[at] = condition
		} else {
			list = append(list, condition)
		}
	}
	list = slices.DeleteFunc(list, func(c metav1.Condition) bool {
		return slices.Contains(m.applied[options.FieldManager], c.Type) && !slices.Contains(names, c.Type)
	})
	m.applied[options.FieldManager] = names
	if next.Status.Conditions = list; assert.ObjectsAreEqual(next.Status.Conditions, m.object.Status.Conditions) {
		return m.object.DeepCopy(), nil
	}
	return m.store(next), nil
}

// tried records a write, and returns its error.
func (m *memory) tried(body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	m.bodies = append(m.bodies, string(data))
	if m.fail != nil {
		if err := m.fail(); err != nil {
			return err
		}
	}
	if m.object == nil {
		return apierrors.NewNotFound(operatorv1.Resource("machineconfigurations"), "cluster")
	}
	return nil
}

func (m *memory) Get(context.Context, string, metav1.GetOptions) (*operatorv1.MachineConfiguration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gets++
	if m.object == nil {
		return nil, apierrors.NewNotFound(operatorv1.Resource("machineconfigurations"), "cluster")
	}
	return m.object.DeepCopy(), nil
}

func (m *memory) Patch(_ context.Context, _ string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*operatorv1.MachineConfiguration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.tried(json.RawMessage(data)); err != nil {
		return nil, err
	}
	var patch struct {
		Metadata struct{ ResourceVersion string }
		Status   struct{ Conditions []metav1.Condition }
	}
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	if patch.Metadata.ResourceVersion != m.object.ResourceVersion {
		return nil, apierrors.NewConflict(operatorv1.Resource("machineconfigurations"), "cluster", nil)
	}
	next := m.object.DeepCopy()
	next.Status.Conditions = patch.Status.Conditions
	return m.store(next), nil
}

// writes returns the number of attempted writes.
func (m *memory) writes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.bodies)
}

// requestsSince returns the bodies of the writes after the first n.
func (m *memory) requestsSince(n int) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.bodies[n:])
}

func (m *memory) conditions() []metav1.Condition {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.object == nil {
		return nil
	}
	return m.object.DeepCopy().Status.Conditions
}

func (m *memory) condition(tb testing.TB, name string) metav1.Condition {
	tb.Helper()
	var found []metav1.Condition
	for _, c := range m.conditions() {
		if c.Type == name {
			found = append(found, c)
		}
	}
	require.Len(tb, found, 1, "%s", name)
	return found[0]
}

func (m *memory) failWith(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = func() error { return err }
}
