package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

const (
	maxMessages = 700_000
	maxObject   = 1_200_000
)

// texts of as many characters as a message may have, by how many bytes each is encoded as.
var texts = map[string]string{
	"1 byte":         strings.Repeat("x", conditions.MaxMessage),
	"a quote":        strings.Repeat(`"`, conditions.MaxMessage),
	"a line":         strings.Repeat("\n", conditions.MaxMessage),
	"a control":      strings.Repeat("\x01", conditions.MaxMessage),
	"an angle":       strings.Repeat("<", conditions.MaxMessage),
	"a separator":    strings.Repeat("\u2028", conditions.MaxMessage),
	"an emoji":       strings.Repeat("\U0001F600", conditions.MaxMessage),
	"invalid":        strings.Repeat("\xff", conditions.MaxMessage),
	"with our mark":  strings.Repeat(conditions.TruncationMark, conditions.MaxMessage/len([]rune(conditions.TruncationMark))),
	"cause at end":   strings.Repeat("\U0001F600", conditions.MaxMessage-10) + "disk full.",
	"longer by one":  strings.Repeat("\x01", conditions.MaxMessage+1),
	"much too long":  strings.Repeat("\x01", 10*conditions.MaxMessage),
	"a mix of these": strings.Repeat("x\"\n\x01<\u2028\U0001F600", conditions.MaxMessage/7),
}

func encoded(t *testing.T, v any) int {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return len(data)
}

func messagesOf(t *testing.T, s plan.State) int {
	t.Helper()
	total := 0
	for _, c := range s.Object.Status.Conditions {
		total += encoded(t, c.Message)
		assert.LessOrEqual(t, utf8.RuneCountInString(c.Message), conditions.MaxMessage)
		assert.True(t, utf8.ValidString(c.Message))
	}
	return total
}

// full reports every phase with a text, and 100 image sets that failed with it.
func full(t *testing.T, s plan.State, message string, imageMode bool) (plan.State, []plan.Intent) {
	t.Helper()
	var all []plan.Intent
	for i, p := range phases.All(imageMode) {
		r := report(p, done, 10+i, configA, configB)
		r.Message, r.ImageMode = message, imageMode
		switch p {
		case phases.Updated, phases.PinnedImageSetsDegraded, phases.PinnedImageSetsProgressing:
			continue
		}
		all = append(all, r)
	}
	sets := imageSets(50)
	sets.Failure, sets.ImageMode = message, imageMode
	for i := range 100 {
		failure := conditions.TruncateTo(message, conditions.MaxMessage/(1+i))
		sets.Sets = append(sets.Sets, set{Name: fmt.Sprintf("%03d-%s", i, strings.Repeat("n", 240)), Generation: 1<<31 - 1, Failure: failure})
	}
	all = append(all, sets)
	return after(t, s, all...), all
}

func TestWorstTextsFit(t *testing.T) {
	for _, name := range []string{"1 byte", "a control", "an emoji", "invalid", "with our mark", "much too long", "a mix of these"} {
		t.Run(name, func(t *testing.T) {
			s, all := full(t, upToDate(configA, "", true), texts[name], true)
			assert.LessOrEqual(t, messagesOf(t, s), maxMessages)
			assert.LessOrEqual(t, encoded(t, s.Object), maxObject)
			for _, in := range all {
				assert.Empty(t, planned(t, s, in, plan.Memo{}).Steps, "%s is a repeat", in)
			}
			end := report(phases.Updated, done, 90, configB, configB)
			end.ImageMode = true
			assert.LessOrEqual(t, messagesOf(t, after(t, s, end)), maxMessages, "prefixes included")
		})
	}
}

// Failures that stay while others come, of sets that are reported without one.
func TestFailuresThatStayFit(t *testing.T) {
	s := upToDate(configA, "", false)
	r := imageSets(1)
	for i := range 100 {
		for j := range r.Sets {
			r.Sets[j].Failure = ""
		}
		r.Sets = append(r.Sets, set{Name: fmt.Sprint("set-", i), Generation: 1, Failure: texts["a control"]})
		in := r
		in.Sets = append([]set(nil), r.Sets...)
		s = after(t, s, in)
	}
	assert.LessOrEqual(t, encoded(t, s.Object.Status.PinnedImageSets), 250_000)
	for _, kept := range s.Object.Status.PinnedImageSets {
		assert.NotEmpty(t, kept.LastFailedGenerationError, "the CRD requires one")
	}
}

func TestOneLongTextIsNotShortened(t *testing.T) {
	for _, name := range []string{"1 byte", "a quote", "a control", "an emoji"} {
		r := report(phases.Drained, running, 10, configA, configB)
		r.Message = texts[name]
		assert.Equal(t, texts[name], messageOf(after(t, upToDate(configA, "", false), r), phases.Drained), name)
	}
}

func TestShortTextsLeaveTheirRoom(t *testing.T) {
	s, _ := full(t, upToDate(configA, "", false), texts["an emoji"], false)
	assert.Greater(t, messagesOf(t, s), maxMessages-20*12, "no more is taken than has to be")
	r := report(phases.Drained, done, 60, configA, configB)
	r.Message = "short"
	s = after(t, s, r)
	assert.Equal(t, "short", messageOf(s, phases.Drained))
	r.Phase, r.Message = phases.Cordoned, texts["an emoji"]+"!"
	assert.Greater(t, len(messageOf(after(t, s, r), phases.Cordoned)), maxMessages/13, "the room is there for a new text")
}

func TestShorten(t *testing.T) {
	const mark = 13 * 6 // what stands for the mark may have been longer
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			text := conditions.Truncate(text)
			size := encoded(t, text)
			if size < 100 {
				assert.Equal(t, text, plan.Shorten(text, 0), "what is shorter than the mark stays")
				return
			}
			for _, room := range []int{size + 1, size, size - 1, size / 2, 2000, 500, 50} {
				short := plan.Shorten(text, room)
				assert.LessOrEqual(t, encoded(t, short), room)
				assert.GreaterOrEqual(t, encoded(t, short), min(size, room-mark), "no shorter than it has to be")
				assert.Equal(t, short, plan.Shorten(text, encoded(t, short)), "stable")
				assert.Equal(t, room >= size, short == text)
			}
			assert.Equal(t, conditions.TruncationMark, plan.Shorten(text, 0))
		})
	}
	short := plan.Shorten(texts["cause at end"], 2000)
	assert.True(t, strings.HasSuffix(short, "disk full."), "the cause is at the end")
}

// Whatever is encoded, it is counted in full: a text of the room that it may have fits.
func TestRoomOfEachCharacter(t *testing.T) {
	filler := strings.Repeat("x", 50)
	characters := []rune{0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x1f600, 0x10ffff}
	for r := range rune(0x2100) {
		characters = append(characters, r)
	}
	for _, r := range characters {
		if text := string(r) + filler; plan.Shorten(text, encoded(t, text)-1) == text {
			t.Fatalf("%q is encoded in more bytes than counted", r)
		}
	}
}
