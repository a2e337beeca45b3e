package simulation

import "context"

// listen returns a channel that holds an entry when something has changed since the last
// receive.
func (c *Cluster) listen() chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	listener := make(chan struct{}, 1)
	wake(listener)
	c.listeners = append(c.listeners, listener)
	return listener
}

// notify handles a new or changed object of an informer.
func (c *Cluster) notify(obj any) {
	c.outages.observe(obj)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, listener := range c.listeners {
		wake(listener)
	}
}

// until checks the state of the cluster after each change, until the check is done or fails.
func (c *Cluster) until(ctx context.Context, check func(State) (done bool, err error)) error {
	changed := c.listen()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		}
		state, err := c.State(ctx)
		if err != nil {
			return err
		}
		if done, err := check(state); done || err != nil {
			return err
		}
	}
}

// wake puts an entry into a channel that holds one.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
