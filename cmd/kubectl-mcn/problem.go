package main

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// problemKey identifies a node that is stuck, a condition of a pool, or a pinned image set of a node.
type problemKey struct {
	pool, name, kind string
	uid              types.UID // an object may be created again
}

// problem is in the way of a pool. It is known to exist since a time, or that is not known.
type problem struct {
	key   problemKey
	known time.Time
	text  string
}

// mostMessage is how much of a message an error has.
const mostMessage = 300

// problemsOf returns what is in the way of a pool.
func problemsOf(p progress.Pool, now time.Time) []problem {
	var all []problem
	for _, c := range p.Problems {
		all = append(all, problem{problemKey{pool: p.Name, kind: c.Type}, c.Since, fmt.Sprintf("pool %s: %s%s", p.Name, c.Type, withMessage(c.Message))})
	}
	for _, n := range p.StuckNodes() {
		all = append(all, problem{problemKey{p.Name, n.Name, "stuck", n.UID}, n.Degraded,
			fmt.Sprintf("%s of %s is stuck, %s%s", n.Name, p.Name, screen.Reason(n, screen.Options{Now: now}), withMessage(n.Message))})
	}
	for _, n := range p.Nodes {
		for _, s := range n.PinnedImageSets {
			if s.Failed {
				all = append(all, problem{problemKey{p.Name, n.Name, "pinned " + s.Name, n.UID}, s.Since,
					fmt.Sprintf("%s of %s cannot pull pinned image set %s%s", n.Name, p.Name, s.Name, withMessage(s.Message))})
			}
		}
	}
	return all
}

func withMessage(message string) string {
	if message == "" {
		return ""
	}
	return ": " + screen.Clean(message, mostMessage)
}
