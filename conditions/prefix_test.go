package conditions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/conditions"
)

func TestAMessageHasAtMostOnePrefix(t *testing.T) {
	once := conditions.WithUpdatePrefix("drained", "rendered-1")
	assert.Equal(t, "Action during update to rendered-1: drained", once)
	assert.Equal(t, once, conditions.WithUpdatePrefix(once, "rendered-2"))
}

func TestTrimUpdatePrefixKeepsTheTextOfTheReport(t *testing.T) {
	const prefix = "Action during update to rendered-1: "
	for message, want := range map[string]string{
		"":                          "",
		"drained":                   "drained",
		"drain: pod web-0: timeout": "drain: pod web-0: timeout",
		prefix + "drained":          "drained",
		prefix + "drain: timeout":   "drain: timeout",
		prefix:                      "",
		"Action during update to":   "Action during update to",
		"Action during update to a": "Action during update to a",
	} {
		assert.Equal(t, want, conditions.TrimUpdatePrefix(message), "%q", message)
	}
}
