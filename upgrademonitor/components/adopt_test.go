package components

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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
