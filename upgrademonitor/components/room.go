package components

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
)

// maxHealthy is the room that the messages of all healthy conditions of a process share, in bytes of JSON: the
// object is sent to every node, also when all is well.
const maxHealthy = 256

// limitHealthy truncates the messages of healthy conditions to maxHealthy: first those of Degraded, which tell
// the last errors. Of two that are too long each gets half; what a short one leaves is the other's.
func limitHealthy(list []metav1.Condition) {
	room := maxHealthy
	for _, a := range []Aspect{Degraded, Available, Progressing} {
		var messages []*string
		for i := range list {
			if c := &list[i]; strings.HasSuffix(c.Type, string(a)) && c.Status == goodStatus(a) {
				messages = append(messages, &c.Message)
			}
		}
		room = share(messages, room)
	}
}

// share truncates messages to their share of a room, and returns what they leave.
func share(messages []*string, room int) int {
	slices.SortStableFunc(messages, func(a, b *string) int { return cmp.Compare(jsonLen(*a), jsonLen(*b)) })
	for i, m := range messages {
		switch limit := room / (len(messages) - i); {
		case jsonLen(*m) <= limit:
		case limit < len(conditions.TruncationMark):
			*m = ""
		default:
			*m = oneLine(*m, limit)
		}
		room -= jsonLen(*m)
	}
	return room
}
