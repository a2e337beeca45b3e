package main

import "time"

// result is what the update of all nodes has cost.
type result struct {
	Client  string
	Nodes   int
	AtATime int
	Parties []partyTally
	CPU     time.Duration // of the API server, user and system
	Wall    time.Duration
	Lag     time.Duration // from the last node's Updated=True to the pool's
	Memory  memory        // of the controllers' process
}

// partyTally is what one party has asked.
type partyTally struct {
	Name string
	tally
}

// of is the tally of a party, empty for one that took no part.
func (r result) of(name string) tally {
	for _, p := range r.Parties {
		if p.Name == name {
			return p.tally
		}
	}
	return tally{}
}

// all is the tally of all parties together.
func (r result) all() tally {
	var sum tally
	for _, p := range r.Parties {
		sum = sum.plus(p.tally)
	}
	return sum
}
