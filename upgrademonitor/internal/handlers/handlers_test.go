package handlers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/handlers"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func newNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func TestFuncs(t *testing.T) {
	var calls []string
	record := func(prefix string) func(*corev1.Node) {
		return func(n *corev1.Node) { calls = append(calls, prefix+n.Name) }
	}
	funcs := handlers.Funcs[*corev1.Node]{
		Add:    record("+"),
		Update: func(before, after *corev1.Node) { calls = append(calls, before.Name+">"+after.Name) },
		Delete: record("-"),
	}
	for _, h := range []cache.ResourceEventHandler{funcs, handlers.Funcs[*corev1.Node]{}} { // the second has no functions
		h.OnAdd(newNode("a"), true)
		h.OnUpdate(newNode("b"), newNode("c"))
		h.OnDelete(newNode("d"))
		h.OnDelete(cache.DeletedFinalStateUnknown{Key: "e", Obj: newNode("e")})
		h.OnAdd(&corev1.Pod{}, false)
		h.OnUpdate(&corev1.Pod{}, newNode("c"))
		h.OnDelete(nil)
		h.OnDelete(cache.DeletedFinalStateUnknown{Key: "f"})
	}
	assert.Equal(t, []string{"+a", "b>c", "-d", "-e"}, calls)
}

func TestSet(t *testing.T) {
	client := kubefake.NewClientset(newNode("first"))
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Nodes().Informer()
	ctx, cancel := context.WithCancel(t.Context())
	names := make(chan string, 10)
	add := handlers.Funcs[*corev1.Node]{Add: func(n *corev1.Node) { names <- n.Name }}

	var set handlers.Set
	require.Empty(t, set.Synced())
	require.NoError(t, set.Add(ctx, informer, add))
	factory.StartWithContext(ctx)
	require.True(t, cache.WaitFor(ctx, "", set.Synced()...))
	assert.Equal(t, "first", <-names, "called before it is synced")

	require.NoError(t, set.Remove())
	require.NoError(t, set.Remove(), "again")
	var later handlers.Set
	require.NoError(t, later.Add(ctx, informer, add))
	_, err := client.CoreV1().Nodes().Create(ctx, newNode("second"), metav1.CreateOptions{})
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"first", "second"}, []string{<-names, <-names})
	require.NoError(t, later.Remove())

	cancel()
	factory.Shutdown()
	assert.Empty(t, names, "the first handler was removed")
	assert.ErrorContains(t, set.Add(t.Context(), informer, add), "stopped")
}
