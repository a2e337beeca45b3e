package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHelpListsEachCommand(t *testing.T) {
	got := execute(t, "", "--help")
	for _, c := range commands {
		assert.Contains(t, got.stdout, "\n  kubectl mcn "+c.name+" [")
	}
}

func TestUsageErrorsNameTheCommand(t *testing.T) {
	for want, args := range map[string][]string{
		"; see kubectl mcn --help\n":            {"--nope"},
		"; see kubectl mcn wait --help\n":       {"wait", "--nope"},
		"; see kubectl mcn timeline --help\n":   {"timeline", "--nope"},
		"; see kubectl mcn components --help\n": {"components", "--nope"},
	} {
		assert.Contains(t, execute(t, "", args...).stderr, want)
	}
}
