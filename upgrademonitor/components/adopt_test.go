package components

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAdoptAfterTheFirstPasses has steps succeed before it is known what an earlier process published.
func TestAdoptAfterTheFirstPasses(t *testing.T) {
	fault := Fault{State: OperatorSyncMCP, Message: "b: timed out"}
	for succeeded, want := range map[step]bool{
		{OperatorSyncMCP, "a"}: true,
		{OperatorSyncMCD, ""}:  true,
		{OperatorSyncMCP, "b"}: false,
		{OperatorSyncMCP, ""}:  false,
		{OperatorSync, ""}:     false,
	} {
		tr := newTracker(time.Minute, time.Minute)
		tr.succeed(&Pass{step: succeeded}, epoch)
		tr.adopt(fault, epoch)
		assert.Equal(t, want, len(tr.unresolved(epoch)) == 1, "%s", succeeded)
	}
}

// TestAdoptAfterTheFirstFailure has the step fail again before: its error stays published, and is the one of this
// process.
func TestAdoptAfterTheFirstFailure(t *testing.T) {
	tr := newTracker(time.Minute, time.Minute)
	tr.fail(&Pass{step: step{OperatorSyncMCP, "b"}}, "no such image", epoch)
	tr.adopt(Fault{State: OperatorSyncMCP, Message: "b: timed out", Since: metav1.NewTime(epoch)}, epoch)
	assert.Equal(t, "b: no such image", tr.degraded(nil, epoch).Message)
	tr.succeed(&Pass{step: step{OperatorSyncMCP, "b"}}, epoch)
	assert.Contains(t, tr.degraded(nil, epoch).Message, "Last error, resolved")
}
