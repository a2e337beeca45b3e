package cluster

import (
	"context"
	"errors"
	"fmt"
)

// launch runs a server, keeps it in the given field of c, and returns when ready returns nil. When the
// server exits before that, when ctx ends or when it takes too long, no process is left, the field
// is nil and the error is a *StartError.
func (c *Cluster) launch(ctx context.Context, field **process, cmd command, ready func(context.Context) error) error {
	cmd.detached = c.detached
	p, err := start(cmd)
	if err != nil {
		return err
	}
	*field = p
	// At once: a server must be found by Down even if this process is killed while it waits.
	if err = c.record(); err == nil {
		err = p.waitUntil(ctx, ready)
	}
	if err == nil {
		return nil
	}
	exitedAlone := !p.alive()
	err = errors.Join(err, p.kill())
	*field = nil
	if exitedAlone && p.log.portTaken() {
		err = fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return &StartError{Server: cmd.name, Tail: p.log.tail(), Err: err}
}

// waitUntil returns when ready returns nil, or with an error as soon as the child has exited.
func (p *process) waitUntil(ctx context.Context, ready func(context.Context) error) error {
	return eventually(ctx, func(ctx context.Context) error {
		if !p.alive() {
			return permanent(p.exitError())
		}
		// Whatever has the port of a server that has exited need not answer.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-p.exited:
				cancel()
			case <-ctx.Done():
			}
		}()
		return ready(ctx)
	})
}
