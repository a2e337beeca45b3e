package plan

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// An object, with its managed fields, has to fit into a request to etcd, of 1.5 MB.
const (
	// maxConditions is how many conditions the CRD accepts.
	maxConditions = 20
	// maxMessages is how many bytes the messages of all conditions may have as they are encoded.
	maxMessages = 700_000
	// maxFailures is the same for the failures of all image sets.
	maxFailures = 200_000
	// longestEscape is the most bytes that one byte of a text is encoded as.
	longestEscape = 6
)

// TooManyConditionsError means that the object has so many conditions of others that those of
// this library do not fit.
type TooManyConditionsError struct {
	Unowned, Own int
}

// Error returns how many there may be.
func (e *TooManyConditionsError) Error() string {
	return fmt.Sprintf("the MachineConfigNode has %d conditions of other managers and no room for %d more, the maximum is %d: remove some of the others", e.Unowned, e.Own, maxConditions)
}

// fitAll makes the lists as small as the API server and etcd accept them. One that is equal to
// the list before, once that was done, is no write.
func fitAll(s State, lists [][]metav1.Condition, limit int) ([][]metav1.Condition, error) {
	last := s.Object.Status.Conditions
	for i := range lists {
		var err error
		if lists[i], err = fit(s, lists[i], last, limit); err != nil {
			return nil, err
		}
		last = lists[i]
	}
	if len(lists) == 1 && conditions.Equal(s.Object.Status.Conditions, lists[0]) {
		return nil, nil
	}
	return lists, nil
}

// fit returns the list with messages that fit, see fitTexts; the list itself where they do
// already. A list for which others have left no room is a *TooManyConditionsError.
func fit(s State, list, before []metav1.Condition, limit int) ([]metav1.Condition, error) {
	if len(s.Unowned.Conditions)+len(list) > maxConditions {
		return nil, &TooManyConditionsError{Unowned: len(s.Unowned.Conditions), Own: len(list)}
	}
	if !slices.ContainsFunc(list, func(c metav1.Condition) bool { return len(c.Message)*longestEscape*len(list) > limit }) {
		return list, nil
	}
	messages, last := make([]string, len(list)), make([]string, len(list))
	for i := range list {
		messages[i] = list[i].Message
		if c := conditions.Find(before, phases.Phase(list[i].Type)); c != nil {
			last[i] = c.Message
		}
	}
	fitted := slices.Clone(list)
	for i, message := range fitTexts(messages, last, limit) {
		fitted[i].Message = message
	}
	return fitted, nil
}

// fitFailures shortens the failures of a list of image sets in place, see fitTexts.
func fitFailures(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet, s State, limit int) {
	failures, last := make([]string, len(sets)), make([]string, len(sets))
	for i := range sets {
		failures[i] = sets[i].LastFailedGenerationError
		if set := s.imageSet(sets[i].Name); set != nil {
			last[i] = set.LastFailedGenerationError
		}
	}
	for i, failure := range fitTexts(failures, last, limit) {
		sets[i].LastFailedGenerationError = failure
	}
}

// fitTexts shortens the longest texts until all of them together are encoded in at most limit
// bytes.
//
// A text that was shortened before stays as it is while it is the same text, whatever room the
// others leave: else each repeat would be a change.
func fitTexts(texts, before []string, limit int) []string {
	fitted := slices.Clone(texts)
	sizes := make([]int, len(texts))
	total := 0
	for i := range fitted {
		if isShortened(before[i], fitted[i]) {
			fitted[i] = before[i]
		}
		sizes[i] = encodedSize(fitted[i])
		total += sizes[i]
	}
	if total <= limit {
		return fitted
	}
	room := share(sizes, limit)
	for i := range fitted {
		fitted[i] = Shorten(fitted[i], room)
	}
	return fitted
}

// share returns how much each of the sizes may have at most, so that their sum is within limit:
// small ones leave their share to the others.
func share(sizes []int, limit int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		if equal := limit / (len(sorted) - i); size > equal {
			return equal
		}
		limit -= size
	}
	return limit
}

// isShortened reports whether a is what Shorten makes of b, given some room.
func isShortened(a, b string) bool {
	return len(a) < len(b) && strings.Contains(a, conditions.TruncationMark) && Shorten(b, encodedSize(a)) == a
}

// Shorten truncates a text in its middle as far as it has to be encoded in at most room bytes;
// what is left of it in the end is conditions.TruncationMark.
func Shorten(text string, room int) string {
	if encodedSize(text) <= room {
		return text
	}
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	upTo := []int{0} // the sizes of the beginnings of the text
	for _, r := range text {
		upTo = append(upTo, upTo[len(upTo)-1]+escapedSize(r))
	}
	n, mark := len(upTo)-1, utf8.RuneCountInString(conditions.TruncationMark)
	more := sort.Search(max(0, n-mark-1), func(kept int) bool {
		end := (kept + 1) / 2
		return upTo[kept+1-end]+upTo[n]-upTo[n-end]+encodedSize(conditions.TruncationMark) > room
	})
	return conditions.TruncateTo(text, mark+more)
}

// encodedSize is how long a text is in JSON at most, its quotes included.
func encodedSize(text string) int {
	size := len(`""`)
	for _, r := range text {
		size += escapedSize(r)
	}
	return size
}

// escapedSize is how long a character is in JSON at most.
func escapedSize(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t':
		return len(`\n`)
	case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029', r == utf8.RuneError:
		return longestEscape
	default:
		return utf8.RuneLen(r)
	}
}
