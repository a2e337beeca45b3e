package components

import (
	"cmp"
	"strings"
)

// step is a state and its key: the name of a pool, for example.
type step struct {
	state State
	key   string
}

func (s step) compare(other step) int {
	return cmp.Or(cmp.Compare(s.state, other.state), strings.Compare(s.key, other.key))
}

func (s step) String() string {
	if s.key == "" {
		return string(s.state)
	}
	return string(s.state) + " of " + s.key
}

// keySeparator ends the key in a message.
const keySeparator = ": "

// message returns the message of an error of the step.
func (s step) message(text string) string {
	if s.key == "" {
		return text
	}
	return s.key + keySeparator + text
}
