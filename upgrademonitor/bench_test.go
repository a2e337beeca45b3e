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
)

// cannedServer answers requests without a network, as the API server does: a patch with the
// metadata that it asks for. With an object it serves that, and records its responses; without one
// it replays them.
type cannedServer struct {
	object  *mcfgv1.MachineConfigNode
	sent    *mcfgv1.MachineConfigNode
	answers [][]byte
	next    int
}

func (s *cannedServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	if s.object != nil {
		if err := s.serve(r); err != nil {
			return nil, err
		}
	}
	answer := s.answers[s.next%len(s.answers)]
	s.next++
	return ok(r, answer), nil
}

// ok returns a response with status 200.
func ok(r *http.Request, answer []byte) *http.Response {
	return &http.Response{
		StatusCode:    http.StatusOK,
		Header:        http.Header{"Content-Type": []string{"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(answer)),
		ContentLength: int64(len(answer)),
		Request:       r,
	}
}

func (s *cannedServer) serve(r *http.Request) error {
	if r.Method == http.MethodPatch {
		sent := &mcfgv1.MachineConfigNode{}
		if err := json.NewDecoder(r.Body).Decode(sent); err != nil {
			return err
		}
		s.sent = sent
		if r.URL.Path[len(r.URL.Path)-len("status"):] == "status" {
			s.object.Status = sent.Status
		} else {
			s.object.Spec = sent.Spec
		}
	}
	var answer any = s.object
	if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata") {
		answer = metadataOf(s.object)
	}
	data, err := json.Marshal(answer)
	s.answers = append(s.answers, data)
	return err
}

// metadataOf is the response to a patch, whose managed fields are most of it.
func metadataOf(object *mcfgv1.MachineConfigNode) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: metav1.SchemeGroupVersion.String()},
		ObjectMeta: object.ObjectMeta,
	}
}

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

// updatedObject returns the object of a node between updates, with what a server adds.
func updatedObject(tb testing.TB) *mcfgv1.MachineConfigNode {
	f := newFixture(tb)
	require.NoError(tb, f.GenerateAndApplyMachineConfigNode(tb.Context(), phases.Updated, "Updated", "Node worker-0 Updated", metav1.ConditionTrue))
	object, err := f.clientset.MachineconfigurationV1().MachineConfigNodes().Get(tb.Context(), nodeName, metav1.GetOptions{})
	require.NoError(tb, err)
	object.APIVersion, object.Kind = mcfgv1.GroupVersion.String(), "MachineConfigNode"
	object.UID = "3f0d1c52"
	object.ResourceVersion, object.Generation, object.Status.ObservedGeneration = "17966", 2, 2
	object.ManagedFields = managedFields(tb, object)
	return object
}

// managedFields are those that the API server records of a Monitor, which are half of the object.
func managedFields(tb testing.TB, object *mcfgv1.MachineConfigNode) []metav1.ManagedFieldsEntry {
	type fields = map[string]any
	leaf := fields{}
	conditions := fields{".": leaf}
	for _, c := range object.Status.Conditions {
		conditions[`k:{"type":"`+c.Type+`"}`] = fields{".": leaf, "f:lastTransitionTime": leaf, "f:message": leaf, "f:reason": leaf, "f:status": leaf, "f:type": leaf}
	}
	entry := func(operation metav1.ManagedFieldsOperationType, subresource string, owned fields) metav1.ManagedFieldsEntry {
		data, err := json.Marshal(owned)
		require.NoError(tb, err)
		at := metav1.Now()
		return metav1.ManagedFieldsEntry{
			Manager: upgrademonitor.DefaultFieldManager, Operation: operation, Subresource: subresource,
			APIVersion: mcfgv1.GroupVersion.String(), Time: &at, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(data)),
		}
	}
	return []metav1.ManagedFieldsEntry{
		entry(metav1.ManagedFieldsOperationApply, "status", fields{"f:status": fields{
			"f:conditions":    conditions,
			"f:configVersion": fields{"f:current": leaf, "f:desired": leaf}, "f:observedGeneration": leaf,
		}}),
		entry(metav1.ManagedFieldsOperationUpdate, "", fields{
			"f:metadata": fields{"f:ownerReferences": fields{".": leaf, `k:{"uid":"1a01a163"}`: leaf}},
			"f:spec": fields{".": leaf, "f:configVersion": fields{".": leaf, "f:desired": leaf},
				"f:node": fields{".": leaf, "f:name": leaf}, "f:pool": fields{".": leaf, "f:name": leaf}},
		}),
	}
}

// canned answers a read with an object, and a write with its metadata, as requested. Both have
// the name in the request.
type canned struct {
	object, metadata []byte
}

func newCanned(tb testing.TB) canned {
	object := updatedObject(tb)
	whole, err := json.Marshal(object)
	require.NoError(tb, err)
	metadata, err := json.Marshal(metadataOf(object))
	require.NoError(tb, err)
	return canned{object: whole, metadata: metadata}
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	answer := c.object
	if r.Method == http.MethodPatch {
		answer = c.metadata
	}
	if name := path.Base(strings.TrimSuffix(r.URL.Path, "/status")); name != nodeName {
		answer = bytes.ReplaceAll(answer, []byte(`"`+nodeName+`"`), []byte(`"`+name+`"`))
	}
	return ok(r, answer), nil
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
	answer, err := json.Marshal(updatedObject(b))
	require.NoError(b, err)
	node := annotated(oldConfig, oldConfig)
	m := monitorOn(b, &cannedServer{answers: [][]byte{answer}}, &node)
	b.ReportAllocs()
	for b.Loop() {
		err := m.GenerateAndApplyMachineConfigNode(b.Context(), phases.Updated, "Updated", "Node worker-0 Updated", metav1.ConditionTrue)
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRebootUpdate: a whole standard reboot update, 15 status writes and 1 of the spec.
func BenchmarkRebootUpdate(b *testing.B) {
	node := annotated(oldConfig, oldConfig)
	server := &cannedServer{object: updatedObject(b)}
	rebootUpdate(b, monitorOn(b, server, &node), &node)
	server.object, server.next = nil, 0
	size := 0
	for _, answer := range server.answers {
		size += len(answer)
	}

	requests, sent := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		server.next = 0
		rebootUpdate(b, monitorOn(b, server, &node), &node)
		requests += server.next
		sent++
	}
	b.ReportMetric(float64(requests)/float64(sent), "requests/op")
	b.ReportMetric(float64(size)/1000, "kB-received/op")
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
