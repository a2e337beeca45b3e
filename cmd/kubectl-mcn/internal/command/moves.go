package command

import (
	"io"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// moveLog prints the changes between two views, a line each.
type moveLog struct {
	*CLI
	state string
	whole bool // with messages that are not cut
	last  source.View
}

// show prints what has changed.
func (l *moveLog) show(v source.View) error {
	// A node is chosen by its state before or after the move: one that recovers is not stuck any more.
	chosen := map[string]bool{"": true}
	for _, v := range []source.View{l.last, v} {
		show := shows(v, l.state)
		for _, p := range v.Pools {
			for _, n := range p.Nodes {
				if show == nil || show(n) {
					chosen[n.Name] = true
				}
			}
		}
	}
	for _, m := range screen.Moves(l.last.Pools, v.Pools, v.Time) {
		if chosen[m.Node] {
			if _, err := io.WriteString(l.Out, m.Text(l.whole)+"\n"); err != nil {
				return err
			}
		}
	}
	l.last = v
	return nil
}
