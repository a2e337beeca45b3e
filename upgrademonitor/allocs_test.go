package upgrademonitor_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The answers are as the API server gives them, see newCanned. The limit leaves room for the race
// detector, which costs about 18 more.
func TestAllocationsOfAChangedStatus(t *testing.T) {
	node := annotated(oldConfig, oldConfig)
	m := monitorOn(t, newCanned(t), &node)
	causes := [2]error{io.ErrUnexpectedEOF, nil}
	i := 0
	allocations := testing.AllocsPerRun(200, func() {
		m.ReportDegraded(t.Context(), causes[i%2])
		i++
	})
	assert.LessOrEqual(t, allocations, 260.)
}
