package upgrademonitor_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"path"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// canned is a transport without a server, so that a benchmark does not measure a server. It responds with the object of a
// node between updates, and to a write with the spec or the status of the request.
type canned struct {
	object map[string]json.RawMessage // its fields
}

func newCanned(t testing.TB) canned {
	t.Helper()
	object, err := json.Marshal(newUpdated(t).object())
	require.NoError(t, err)
	var c canned
	require.NoError(t, json.Unmarshal(object, &c.object))
	return c
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	object := maps.Clone(c.object)
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
		var written map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&written); err != nil {
			return nil, err
		}
		delete(written, "metadata")
		maps.Copy(object, written)
	}
	if name := path.Base(strings.TrimSuffix(r.URL.Path, "/status")); name != nodeName {
		object["metadata"] = bytes.ReplaceAll(object["metadata"], []byte(`"`+nodeName+`"`), []byte(`"`+name+`"`))
	}
	body, err := json.Marshal(object)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": []string{"application/json"}},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r}, err
}

func (c canned) use(t testing.TB) func(*upgrademonitor.Config) {
	return func(config *upgrademonitor.Config) { config.Client = clientsetOn(t, c) }
}

// changes returns a function that reports another status with each call.
func changes(t testing.TB, f *fixture) func() {
	causes, i := [2]error{io.ErrUnexpectedEOF, nil}, 0
	return func() {
		f.ReportDegraded(t.Context(), causes[i%2])
		i++
	}
}

// BenchmarkChangedStatus measures a report that changes the status of one condition, which takes one write.
func BenchmarkChangedStatus(b *testing.B) {
	report := changes(b, newFixture(b, newCanned(b).use(b)))
	b.ReportAllocs()
	for b.Loop() {
		report()
	}
}

// BenchmarkNoop measures a repeated report, which makes no request.
func BenchmarkNoop(b *testing.B) {
	f := newFixture(b, newCanned(b).use(b))
	b.ReportAllocs()
	for b.Loop() {
		f.report(b, phases.Updated, metav1.ConditionTrue)
	}
}

// rebootUpdate reports an update with a reboot in standard mode.
func rebootUpdate(t testing.TB, f *fixture) {
	t.Helper()
	completes := upgrademonitor.CompletesParent()
	f.starts(t, newConfig)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	require.NoError(t, f.syncSpec(t))
	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	f.report(t, phases.Drained, metav1.ConditionTrue)
	f.report(t, phases.AppliedFilesAndOS, metav1.ConditionUnknown)
	f.report(t, phases.AppliedFilesAndOS, metav1.ConditionTrue, completes)
	f.report(t, phases.RebootedNode, metav1.ConditionUnknown)
	f.report(t, phases.RebootedNode, metav1.ConditionTrue)
	f.report(t, phases.Resumed, metav1.ConditionTrue)
	f.report(t, phases.Uncordoned, metav1.ConditionTrue, completes)
	f.annotate(newConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionTrue)
}

// In an update with a reboot, each request is a write: the object is known, so no read is needed.
func TestAnUpdateMakes15WritesOfTheStatusAndOneOfTheSpec(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		count := map[string]int{}
		rebootUpdate(t, f)
		for _, request := range f.requests() {
			count[request]++
		}
		assert.Equal(t, map[string]int{"patch": 1, "patch/status": 15}, count)
	})
}

// BenchmarkRebootUpdate measures an update with a reboot in standard mode, including the fake API server.
func BenchmarkRebootUpdate(b *testing.B) {
	requests, updates := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		f := newUpdated(b)
		rebootUpdate(b, f)
		requests += len(f.requests())
		updates++
	}
	b.ReportMetric(float64(requests)/float64(updates), "requests/op")
}

// BenchmarkIdleMonitor measures the memory that a controller needs for a node after its reports.
func BenchmarkIdleMonitor(b *testing.B) {
	const nodes = 10_000
	config := upgrademonitor.Config{Client: clientsetOn(b, newCanned(b))}
	heap := func() float64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return float64(stats.HeapAlloc)
	}
	for b.Loop() {
		monitors, err := upgrademonitor.NewMonitors(b.Context(), config, namedNode)
		require.NoError(b, err)
		before := heap()
		for i := range nodes {
			monitors.For(nodeNames(i)).ReportDegraded(b.Context(), io.ErrUnexpectedEOF)
		}
		b.ReportMetric((heap()-before)/nodes, "B/node")
		runtime.KeepAlive(monitors)
	}
}
