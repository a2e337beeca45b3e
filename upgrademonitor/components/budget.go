package components

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
)

// maxHealthyMessages is the budget of the messages of all healthy conditions of a process, in bytes of JSON: every
// write is sent to every node.
const maxHealthyMessages = 256

// limitHealthyMessages truncates the messages of healthy conditions to their budget. Those of Degraded, which have
// the last errors, come first. Two messages that are too long get half of it each, and a long one gets what a short
// one does not need.
func limitHealthyMessages(list []metav1.Condition) {
	budget := maxHealthyMessages
	for _, a := range []Aspect{Degraded, Available, Progressing} {
		var messages []*string
		for i := range list {
			if c := &list[i]; strings.HasSuffix(c.Type, string(a)) && c.Status == goodStatus(a) {
				messages = append(messages, &c.Message)
			}
		}
		budget = share(messages, budget)
	}
}

// share truncates messages to their shares of a budget, and returns what is left of it.
func share(messages []*string, budget int) int {
	slices.SortStableFunc(messages, func(a, b *string) int { return cmp.Compare(jsonLen(*a), jsonLen(*b)) })
	for i, m := range messages {
		switch limit := budget / (len(messages) - i); {
		case jsonLen(*m) <= limit:
		case limit < len(conditions.TruncationMark):
			*m = ""
		default:
			*m = oneLine(*m, limit)
		}
		budget -= jsonLen(*m)
	}
	return budget
}
