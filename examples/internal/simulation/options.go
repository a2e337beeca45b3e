package simulation

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// MaxNodes is the largest number of nodes: the API server in memory processes one request at
// a time.
const MaxNodes = 200

// MinSpeed and MaxSpeed limit Options.Speed: beyond, durations on the clock cannot be represented, or
// timers that are due at once leave no time for the cluster.
const (
	MinSpeed = 0.001
	MaxSpeed = 1_000_000
)

// Options describe a simulated cluster.
type Options struct {
	Nodes    int           // from 1 to MaxNodes: up to three masters, the others in two pools
	Step     time.Duration // the average duration of a step of a node's update
	Jitter   float64       // from 0 to 1: the share of its duration by which a step may be shorter or longer
	Seed     uint64        // of the jitter
	Speed    float64       // of the cluster's clock, see Cluster.Clock: 60 makes a minute of a second; New takes 0 for 1
	FailNode string        // the name of a node whose drain fails; "" for none
}

// Validate returns what is wrong with the options, in the words of a command line.
func (o Options) Validate() error {
	switch {
	case o.Nodes < 1 || o.Nodes > MaxNodes:
		return fmt.Errorf("--simulate %d: use from 1 to %d nodes", o.Nodes, MaxNodes)
	case o.Step < 0:
		return fmt.Errorf("--step %s is negative", o.Step)
	case !(o.Jitter >= 0 && o.Jitter <= 1): // NaN too
		return fmt.Errorf("--jitter %g: use from 0 to 1", o.Jitter)
	case !(o.Speed > 0) || math.IsInf(o.Speed, 1): // NaN too
		return fmt.Errorf("--speed %g: use a positive number", o.Speed)
	case o.Speed < MinSpeed || o.Speed > MaxSpeed:
		return fmt.Errorf("--speed %g: use from %g to %d", o.Speed, MinSpeed, MaxSpeed)
	}
	if names := NodeNames(o.Nodes); o.FailNode != "" && !slices.Contains(names, o.FailNode) {
		return fmt.Errorf("--fail-node %q: the nodes are %s", o.FailNode, strings.Join(names, ", "))
	}
	return nil
}
