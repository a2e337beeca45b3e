package main

import (
	"io"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// moveLog prints the changes between two views: lines of text or, with the format json, of JSON.
type moveLog struct {
	*cli
	state, format string
	last          *source.View
}

// show prints what has changed, and returns how much.
func (l *moveLog) show(v source.View) (written int, err error) {
	var before source.View
	if l.last != nil {
		before = *l.last
	}
	moves := screen.Moves(before.Pools, v.Pools, v.Time)
	l.last = &v
	// A node is chosen by its state before or after the move: one that recovers is not stuck any more.
	chosen := map[string]bool{"": true}
	for _, v := range []source.View{before, v} {
		show := shows(v, l.state)
		for _, p := range v.Pools {
			for _, n := range p.Nodes {
				if show == nil || show(n) {
					chosen[n.Name] = true
				}
			}
		}
	}
	for _, m := range moves {
		switch {
		case !chosen[m.Node]:
			continue
		case l.format == formatJSON:
			err = printLine(l.Out, m)
		default:
			_, err = io.WriteString(l.Out, m.Text(l.format == formatWide)+"\n")
		}
		if err != nil {
			return written, err
		}
		written++
	}
	return written, nil
}
