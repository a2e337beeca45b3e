package writer_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// canned gives one answer again and again.
type canned struct{ body []byte }

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	return &http.Response{
		StatusCode:    http.StatusOK,
		Header:        http.Header{"Content-Type": []string{"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(c.body)),
		ContentLength: int64(len(c.body)),
		Request:       r,
	}, nil
}

// BenchmarkApplyStatus is one apply of all conditions, with an answer of the size that a real
// server gives.
func BenchmarkApplyStatus(b *testing.B) {
	base := read(b)
	w := over(b, canned{[]byte(written(b).metadata().body)})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Write(b.Context(), base, plan.Step{Kind: plan.ApplyStatus, Next: base}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMergeStatus is one merge patch of all conditions.
func BenchmarkMergeStatus(b *testing.B) {
	base := read(b)
	w := over(b, canned{[]byte(written(b).answer().body)})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Write(b.Context(), base, plan.Step{Kind: plan.MergeStatus, Next: base}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead is one read, with nothing to release.
func BenchmarkRead(b *testing.B) {
	w := over(b, canned{[]byte(free(b).answer().body)})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Read(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFromLister is what an event of an informer takes.
func BenchmarkFromLister(b *testing.B) {
	mcn := typed(b, free(b))
	w, _ := serve(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.FromLister(mcn, plan.State{}); err != nil {
			b.Fatal(err)
		}
	}
}
