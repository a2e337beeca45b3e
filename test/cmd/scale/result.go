package main

import "time"

// result is the cost of the update of all nodes.
type result struct {
	Client  string
	Calls   int // of a daemon in one update, without the spec call
	Nodes   int
	AtATime int
	Parties []partyTally
	CPU     time.Duration // of the API server, user and system
	Wall    time.Duration
	Lag     time.Duration // from the last node's Updated=True to the pool's
	Memory  memory        // of the controllers' process
	Restart restart
}

// partyTally is the tally of one party.
type partyTally struct {
	Name string
	tally
}

// daemons returns the tally of the daemons.
func (r result) daemons() tally {
	for _, p := range r.Parties {
		if p.Name == daemonsParty {
			return p.tally
		}
	}
	return tally{}
}

// all returns the tally of all parties together.
func (r result) all() tally {
	var sum tally
	for _, p := range r.Parties {
		sum = sum.plus(p.tally)
	}
	return sum
}
