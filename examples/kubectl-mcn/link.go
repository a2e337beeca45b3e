package main

import "time"

// maxReconnect is how long a server may be unreachable before the screen shows it: a watch that is
// restarted is not an outage.
const maxReconnect = 2 * time.Second

// link is the connection to the server for one resource.
type link struct {
	lastContact time.Time // the last response
	lost        time.Time // since when the server is unreachable; zero while it is not
}

// contact records a response of the server.
func (s *store) contact(resource string, now time.Time) {
	s.mu.Lock()
	l := s.links[resource]
	back := !l.lost.IsZero()
	s.links[resource] = link{lastContact: now}
	s.mu.Unlock()
	if back {
		s.wake()
	}
}

// lostContact records that the server does not respond.
func (s *store) lostContact(resource string, now time.Time) {
	s.edit(func() {
		if l := s.links[resource]; l.lost.IsZero() {
			l.lost = now
			s.links[resource] = l
		}
	})
}

// awaySince returns the last response of an unreachable server, else zero. The caller holds the lock.
func (s *store) awaySince(now time.Time) time.Time {
	var since time.Time
	for _, l := range s.links {
		if l.lost.IsZero() || now.Sub(l.lost) < maxReconnect {
			continue
		}
		last := l.lastContact
		if last.IsZero() {
			last = l.lost
		}
		if since.IsZero() || last.Before(since) {
			since = last
		}
	}
	return since
}
