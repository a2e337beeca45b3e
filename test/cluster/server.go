package cluster

import (
	"context"
	"errors"
	"fmt"
)

// startAndWait runs a server and returns when ready says so. When the server exits before that,
// when ctx ends or when it takes too long, no process is left and the error is a *StartError.
func startAndWait(ctx context.Context, c command, ready func(context.Context) error) (*process, error) {
	p, err := start(c)
	if err != nil {
		return nil, err
	}
	err = eventually(ctx, func(ctx context.Context) error {
		if !p.alive() {
			return permanent(p.exitError())
		}
		return ready(ctx)
	})
	if err == nil {
		return p, nil
	}
	exitedAlone := !p.alive()
	err = errors.Join(err, p.kill())
	if exitedAlone && p.log.portTaken() {
		err = fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return nil, &StartError{Server: c.name, Tail: p.log.tail(), Err: err}
}
