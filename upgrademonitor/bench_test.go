package upgrademonitor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"runtime"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

// monitorOn returns a Monitor with a real clientset on a transport.
func monitorOn(tb testing.TB, server http.RoundTripper, node **corev1.Node, change ...func(*upgrademonitor.Config)) *upgrademonitor.Monitor {
	tb.Helper()
	config := upgrademonitor.Config{
		Client:   clientsetOn(tb, server),
		NodeName: nodeName,
		Node:     func() (*corev1.Node, error) { return *node, nil },
		Pool:     func(*corev1.Node) (string, error) { return "worker", nil },
	}
	for _, c := range change {
		c(&config)
	}
	m, err := upgrademonitor.New(tb.Context(), config)
	require.NoError(tb, err)
	return m
}

func clientsetOn(tb testing.TB, server http.RoundTripper) *mcfgclientset.Clientset {
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://canned", Transport: server, QPS: -1})
	require.NoError(tb, err)
	return clientset
}

func annotated(current, desired string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName, UID: "1a01a163", Annotations: map[string]string{
		upgrademonitor.CurrentConfigAnnotation: current,
		upgrademonitor.DesiredConfigAnnotation: desired,
	}}}
}

// updatedObject returns the object of a node between updates.
func updatedObject(tb testing.TB) *mcfgv1.MachineConfigNode {
	f := newFixture(tb)
	require.NoError(tb, f.GenerateAndApplyMachineConfigNode(tb.Context(), phases.Updated, "Updated", "Node worker-0 Updated", metav1.ConditionTrue))
	object, err := f.clientset.MachineconfigurationV1().MachineConfigNodes().Get(tb.Context(), nodeName, metav1.GetOptions{})
	require.NoError(tb, err)
	object.UID, object.ResourceVersion, object.Generation, object.Status.ObservedGeneration = "3f0d1c52", "17966", 2, 2
	return object
}

// newServer returns a server with that object.
func newServer(tb testing.TB) *apiserver.Transport {
	server := &apiserver.Transport{}
	require.NoError(tb, server.Write(nodeName, "", func(mcn *mcfgv1.MachineConfigNode) { *mcn = *updatedObject(tb) }))
	return server
}

// canned responds to a read with an object, and to a write with its metadata: no server takes part in
// what is measured. Both have the name in the request.
type canned struct {
	object, metadata []byte
}

func newCanned(tb testing.TB) canned {
	object := updatedObject(tb)
	whole, err := json.Marshal(object)
	require.NoError(tb, err)
	metadata, err := json.Marshal(metav1.PartialObjectMetadata{ObjectMeta: object.ObjectMeta})
	require.NoError(tb, err)
	return canned{object: whole, metadata: metadata}
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	body := c.object
	if r.Method == http.MethodPatch {
		body = c.metadata
	}
	if name := path.Base(strings.TrimSuffix(r.URL.Path, "/status")); name != nodeName {
		body = bytes.ReplaceAll(body, []byte(`"`+nodeName+`"`), []byte(`"`+name+`"`))
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": []string{"application/json"}},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}

// rebootUpdate reports a standard reboot update.
func rebootUpdate(tb testing.TB, m *upgrademonitor.Monitor, node **corev1.Node) {
	report := func(p phases.Phase, status metav1.ConditionStatus, opts ...upgrademonitor.Option) {
		if err := m.GenerateAndApplyMachineConfigNode(tb.Context(), p, string(p), "about "+string(p), status, opts...); err != nil {
			tb.Fatal(err)
		}
	}
	*node = annotated(oldConfig, newConfig)
	report(phases.Updated, metav1.ConditionFalse)
	report(phases.UpdatePrepared, metav1.ConditionTrue)
	if err := m.GenerateAndApplyMachineConfigNodeSpec(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	report(phases.Cordoned, metav1.ConditionTrue)
	report(phases.Drained, metav1.ConditionUnknown)
	report(phases.Drained, metav1.ConditionTrue)
	report(phases.AppliedFilesAndOS, metav1.ConditionUnknown)
	report(phases.AppliedFilesAndOS, metav1.ConditionTrue, upgrademonitor.CompletesParent())
	report(phases.RebootedNode, metav1.ConditionUnknown)
	report(phases.RebootedNode, metav1.ConditionTrue)
	report(phases.Resumed, metav1.ConditionTrue)
	report(phases.Uncordoned, metav1.ConditionTrue, upgrademonitor.CompletesParent())
	*node = annotated(newConfig, newConfig)
	report(phases.Updated, metav1.ConditionTrue)
}

// BenchmarkChangedStatus: a report that changes the status of one condition, one write.
func BenchmarkChangedStatus(b *testing.B) {
	node := annotated(oldConfig, oldConfig)
	m := monitorOn(b, newCanned(b), &node)
	causes := [2]error{io.ErrUnexpectedEOF, nil}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		m.ReportDegraded(b.Context(), causes[i%2])
		i++
	}
}

// BenchmarkNoop: a report of the same status, no request.
func BenchmarkNoop(b *testing.B) {
	node := annotated(oldConfig, oldConfig)
	m := monitorOn(b, newCanned(b), &node)
	b.ReportAllocs()
	for b.Loop() {
		err := m.GenerateAndApplyMachineConfigNode(b.Context(), phases.Updated, "Updated", "Node worker-0 Updated", metav1.ConditionTrue)
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRebootUpdate: a whole standard reboot update, with the server.
func BenchmarkRebootUpdate(b *testing.B) {
	requests, updates := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		node, server := annotated(oldConfig, oldConfig), newServer(b)
		server.Fault = func(*http.Request) (*http.Response, error) { requests++; return nil, nil }
		rebootUpdate(b, monitorOn(b, server, &node), &node)
		updates++
	}
	b.ReportMetric(float64(requests)/float64(updates), "requests/op")
}

// BenchmarkIdleMonitor: what a controller keeps for a node that it has reported on.
func BenchmarkIdleMonitor(b *testing.B) {
	const nodes = 10_000
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://canned", Transport: newCanned(b), QPS: -1})
	require.NoError(b, err)
	heap := func() float64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return float64(stats.HeapAlloc)
	}
	for b.Loop() {
		monitors, err := upgrademonitor.NewMonitors(b.Context(), upgrademonitor.Config{Client: clientset}, func(name string) (*corev1.Node, error) {
			return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
		})
		require.NoError(b, err)
		before := heap()
		for i := range nodes {
			m := monitors.For(fmt.Sprintf("worker-%d", i))
			m.ReportDegraded(b.Context(), io.ErrUnexpectedEOF)
		}
		b.ReportMetric((heap()-before)/nodes, "B/node")
		runtime.KeepAlive(monitors)
	}
}
