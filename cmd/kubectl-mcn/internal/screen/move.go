package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Move is one change in a rollout.
type Move struct {
	Time time.Time `json:"time"`
	// Kind is Ordered, Begun, StepDone, AtStep, Done, Stuck, Recovered or Deleted for a node, else PoolFound,
	// PoolTarget, PoolPaused, PoolUnpaused, PoolDegraded, PoolBuilding, PoolBlocked, PoolDone or PoolDeleted.
	Kind   string          `json:"move"`
	Pool   string          `json:"pool"`
	Target progress.Target `json:"target"`
	Done   int             `json:"done"` // of the pool, after the move
	Nodes  int             `json:"nodes"`
	Node   string          `json:"node,omitempty"` // "" for a move of the pool itself

	Step    phases.Phase `json:"step,omitempty"`    // the finished step
	Next    phases.Phase `json:"next,omitempty"`    // the running one
	Seconds int          `json:"seconds,omitempty"` // of the finished step or update; 0 if it is not known
	Message string       `json:"message,omitempty"` // why a node is stuck

	text string
	zone *time.Location
}

// mostMessage is the maximum length of a message in the text of a move that is not whole.
const mostMessage = 240

// Text returns the move on one line: whole, or with a long message cut.
func (m Move) Text(whole bool) string {
	text := strings.TrimRight(fmt.Sprintf("%s %s %d/%d ", m.Time.In(m.zone).Format(time.TimeOnly), clean(m.Pool), m.Done, m.Nodes)+
		strings.TrimLeft(clean(m.Node)+" ", " ")+m.text, " ")
	if m.Message == "" {
		return text
	}
	most := mostMessage
	if whole {
		most = 0
	}
	return text + ": " + Clean(m.Message, most)
}

func (m *Move) took(t time.Duration) {
	m.Seconds = int(t.Seconds())
	m.text += " in " + took(t)
}
