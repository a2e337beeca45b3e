package main

import (
	"context"
	"errors"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// quietFor is how long the controllers have to ask nothing to be at rest.
const quietFor = 3 * time.Second

// restart is what controllers do that start in a cluster where all is as it should be.
type restart struct {
	Wall     time.Duration // until the informers know all objects
	Down     int64         // bytes, until then
	Requests int           // of the controllers themselves, until they are at rest
}

// measureRestart runs a process of its own, after the one before it has ended.
func measureRestart(ctx context.Context, kubeconfig string) (r restart, err error) {
	start := time.Now()
	operator, err := startControllers(ctx, kubeconfig)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, operator.stop()) }()
	r.Wall = time.Since(start)
	state, err := operator.state()
	if err != nil {
		return r, err
	}
	for _, p := range state.Parties {
		r.Down += p.Down
	}
	state, err = operator.atRest(ctx)
	for _, p := range state.Parties {
		if p.Name != informersParty {
			r.Requests += p.total()
		}
	}
	return r, err
}

// atRest waits until the controllers have asked nothing for a while.
func (o *operator) atRest(ctx context.Context) (last operatorState, err error) {
	var since time.Time
	err = wait.PollUntilContextCancel(ctx, quietFor/10, true, func(context.Context) (bool, error) {
		state, err := o.state()
		if err != nil {
			return false, err
		}
		if since.IsZero() || !maps.Equal(state.requests(), last.requests()) {
			since = time.Now()
		}
		last = state
		return time.Since(since) >= quietFor, nil
	})
	return last, err
}

// requests is what all parties have asked.
func (s operatorState) requests() map[string]int {
	var sum tally
	for _, p := range s.Parties {
		sum = sum.plus(p.tally)
	}
	return sum.Requests
}
