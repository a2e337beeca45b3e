package main

import (
	"context"
	"errors"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// quietFor is how long idle controllers make no request.
const quietFor = 3 * time.Second

// restart is the cost of starting the controllers in a cluster where everything is up to date.
type restart struct {
	Wall     time.Duration // until the informers have synced
	Down     int64         // bytes, until then
	Requests int           // of the controllers themselves, until they are idle
}

// measureRestart runs another process after the previous one has ended.
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
	state, err = operator.waitIdle(ctx)
	for _, p := range state.Parties {
		if p.Name != informersParty {
			r.Requests += p.total()
		}
	}
	return r, err
}

// waitIdle waits until the controllers make no more requests.
func (o *operator) waitIdle(ctx context.Context) (last operatorState, err error) {
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

// requests returns the requests of all parties, by verb.
func (s operatorState) requests() map[string]int {
	var sum tally
	for _, p := range s.Parties {
		sum = sum.plus(p.tally)
	}
	return sum.Requests
}
