package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// A Monitor computes its next write from what it sent and the resource version in the response.
// consistencyCheck is a transport that compares, field by field, each write of a status with what a
// GET returns at that version. Every Monitor of these tests uses it.
type consistencyCheck struct {
	node *testNode
	done atomic.Bool
}

func newConsistencyCheck(w *testNode) *consistencyCheck {
	b := &consistencyCheck{node: w}
	w.t.Cleanup(func() { b.done.Store(true) })
	return b
}

func (b *consistencyCheck) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if request.Method != http.MethodPatch || !strings.HasSuffix(request.URL.Path, "/status") {
			return next.RoundTrip(request)
		}
		sent, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		request.Body = io.NopCloser(bytes.NewReader(sent))
		response, err := next.RoundTrip(request)
		if err != nil || response.StatusCode != http.StatusOK {
			return response, err
		}
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		_ = response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(answer))
		if err := b.check(sent, answer); err != nil && !b.done.Load() {
			b.node.t.Errorf("the object differs from what the Monitor sent: %v\nsent %s", err, sent)
		}
		return response, nil
	})
}

// written is an object in a request or a response.
type written struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
		Generation      int64  `json:"generation"`
	} `json:"metadata"`
	Status struct {
		Conditions         []metav1.Condition `json:"conditions"`
		ConfigVersion      map[string]any     `json:"configVersion"`
		ConfigImage        map[string]any     `json:"configImage"`
		ObservedGeneration int64              `json:"observedGeneration"`
		PinnedImageSets    []map[string]any   `json:"pinnedImageSets"`
	} `json:"status"`
}

func (b *consistencyCheck) check(sent, answer []byte) error {
	var s, a, got written
	if err := json.Unmarshal(sent, &s); err != nil {
		return err
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	if s.Metadata.ResourceVersion == "" {
		return fmt.Errorf("no resource version as a precondition")
	}
	object, err := b.node.admin.MachineconfigurationV1().RESTClient().Get().
		Resource("machineconfignodes").Name(b.node.name).DoRaw(b.node.t.Context())
	if err != nil {
		return nil //nolint:nilerr // the object, the server or the test is gone
	}
	if err := json.Unmarshal(object, &got); err != nil {
		return nil //nolint:nilerr // a time of another process that Go cannot parse
	}
	if got.Metadata.ResourceVersion != a.Metadata.ResourceVersion {
		return nil // another process has written since
	}
	return s.compare(got, a.Metadata.Generation)
}

// compare returns how the object differs from what was sent, except for what others own.
func (s written) compare(got written, generation int64) error {
	sent, stored := ownedOf(s.Status.Conditions), ownedOf(got.Status.Conditions)
	for name, condition := range sent {
		if !reflect.DeepEqual(condition, stored[name]) {
			return fmt.Errorf("condition %s is %+v", name, stored[name])
		}
	}
	if len(sent) != len(stored) {
		return fmt.Errorf("%d conditions", len(stored))
	}
	for name, pair := range map[string][2]map[string]any{
		"configVersion": {s.Status.ConfigVersion, got.Status.ConfigVersion},
		"configImage":   {s.Status.ConfigImage, got.Status.ConfigImage},
	} {
		if !reflect.DeepEqual(withoutNull(pair[0]), withoutNull(pair[1])) {
			return fmt.Errorf("%s is %v", name, pair[1])
		}
	}
	for _, set := range s.Status.PinnedImageSets {
		found := false
		for _, other := range got.Status.PinnedImageSets {
			found = found || reflect.DeepEqual(withoutNull(set), withoutNull(other))
		}
		if !found {
			return fmt.Errorf("the image sets are %v", got.Status.PinnedImageSets)
		}
	}
	if s.Status.ObservedGeneration != got.Status.ObservedGeneration || got.Metadata.Generation != generation {
		return fmt.Errorf("the observed generation is %d, the generation %d", got.Status.ObservedGeneration, got.Metadata.Generation)
	}
	return nil
}

func ownedOf(list []metav1.Condition) map[string]metav1.Condition {
	owned := map[string]metav1.Condition{}
	for _, c := range list {
		if phases.KindOf(phases.Phase(c.Type)) != "" {
			owned[c.Type] = c
		}
	}
	return owned
}

// withoutNull returns the fields without those that a merge patch removes.
func withoutNull(fields map[string]any) map[string]any {
	kept := map[string]any{}
	for name, value := range fields {
		if value != nil {
			kept[name] = value
		}
	}
	return kept
}
