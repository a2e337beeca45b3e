package screen

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/internal/poolwords"
)

func TestTheEleventhNameIsCounted(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}
	assert.Equal(t, "a, b, c, d, e, f, g, h, i, j, and 1 more: kubectl mcn -o wide", Options{}.names(names))
	assert.Equal(t, "a, b, c, d, e, f, g, h, i, j", Options{}.names(names[:10]))
}

// A problem with the cause of an entry above has the pool and the time in which it differs, if they are known.
func TestAProblemWithTheSameCauseSaysWhatDiffers(t *testing.T) {
	at := time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC)
	first := Problem{ProblemID: ProblemID{Pool: "worker"}, Since: at}
	for want, p := range map[string]Problem{
		"":                          {ProblemID: first.ProblemID},
		" (pool infra)":             {ProblemID: ProblemID{Pool: "infra"}, Since: at},
		" (since 13:00:00)":         {ProblemID: first.ProblemID, began: at.Add(-time.Hour)},
		" (pool a, since 15:00:00)": {ProblemID: ProblemID{Pool: "a"}, Since: at.Add(time.Hour), began: at},
	} {
		assert.Equal(t, want, p.differs(first, Options{Now: at}))
	}
}

// The message of a pool's NodeDegraded names nodes. The screen of each of them has the entry.
func TestAPoolConditionIsAboutEachNodeThatItNames(t *testing.T) {
	message := poolwords.Report{Node: "w-0", Message: "a"}.String() + ", " + poolwords.Report{Node: "w-1", Message: "b"}.String()
	problem := ofCondition(cluster.Pool{}, cluster.PoolCondition{Type: "NodeDegraded", Message: message}, Alarm, Options{})
	assert.Equal(t, []string{"w-0", "w-1"}, problem.About)
}
