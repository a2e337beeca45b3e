package pool

// count is what a pool's status says of its machines.
type count struct {
	target   target
	paused   bool
	machines int

	updated, ready, unavailable int
	waiting                     int // reported, neither updated nor updating
	silent                      int // not reported
	pinned, pinnedReady         int

	updating []string  // names
	degraded []trouble // of nodes
	unpinned []trouble // of their pinned image sets
}

// trouble is what is wrong with a node, in its own words.
type trouble struct {
	node, message string
}

// add counts one machine.
func (c *count) add(m machine) {
	c.machines++
	if !m.available {
		c.unavailable++
	}
	switch {
	case !m.reported:
		c.silent++
	case m.updating:
		c.updating = append(c.updating, m.name)
	case !m.updated:
		c.waiting++
	default:
		c.updated++
		if m.available {
			c.ready++
		}
	}
	if m.degraded {
		c.degraded = append(c.degraded, trouble{m.name, m.trouble})
	}
	if m.pinFailed {
		c.unpinned = append(c.unpinned, trouble{m.name, m.pinError})
	}
	if m.pinned {
		c.pinned++
		if m.available {
			c.pinnedReady++
		}
	}
}

// isUpdated reports whether every machine has reached the target. A pool without machines has,
// one without a target has not.
func (c *count) isUpdated() bool {
	return c.target.config != "" && c.updated == c.machines
}

// isUpdating reports whether a machine is being updated, or is to be.
func (c *count) isUpdating() bool {
	return len(c.updating) > 0 || c.isWaiting() && !c.paused
}

// isWaiting reports whether a machine is to be updated that is not being updated yet.
func (c *count) isWaiting() bool {
	return c.target.config != "" && c.waiting > 0
}
