package screen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// A long message is cut in the middle, because the cause is at its end. Each summary of pods is cut at its end, where names are.
func TestALongMessageKeepsItsEnd(t *testing.T) {
	short := strings.Repeat("x", 40) + strings.Repeat("y", 160)
	assert.Equal(t, short, cutMiddle(short, 0))
	assert.Equal(t, strings.Repeat("é", 200), cutMiddle(strings.Repeat("é", 200), 0), "columns count, not bytes")
	assert.Equal(t, strings.Repeat("x", 35)+" ... "+strings.Repeat("y", 160), cutMiddle("x"+short, 0))

	var all []string
	for _, reason := range []string{"disruption budget", "conflict"} {
		for i := range 9 {
			all = append(all, fmt.Sprintf("evict pod shop-%d/%s: %s", i, strings.Repeat("x", 40), reason))
		}
	}
	n := cluster.Node{Node: mco.Node{Failing: true, IsOld: true, Message: strings.Join(all, ", ")}}
	assert.Regexp(t, `^in the last attempt: evict 9 pods: disruption budget: 1 of shop-0 \(x+\), .*[^)]\.\.\.; evict 9 pods: conflict: 1 of shop-0 \(x+\), .*[^)]\.\.\.$`, ofNode(cluster.Pool{}, n, Options{Width: 80}).Message)
}
