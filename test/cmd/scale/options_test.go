package main

import (
	"bytes"
	"flag"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOptions(t *testing.T) {
	var stderr bytes.Buffer
	o, err := parse(nil, &stderr)
	require.NoError(t, err)
	assert.Equal(t, options{
		nodes: []int{500, 1000, 2500, 5000}, atATime: 100,
		compare: 500, compareAtATime: 50, clients: []string{"today", "ours"},
	}, o)

	o, err = parse([]string{"--nodes", " 3  5", "--compare=0", "--client=ours", "--markdown", "x.md"}, &stderr)
	require.NoError(t, err)
	assert.Equal(t, options{
		nodes: []int{3, 5}, atATime: 100, compareAtATime: 50, clients: []string{"ours"}, markdown: "x.md",
	}, o)
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "500"`: {"500"},
		`--nodes has "many"`:        {"--nodes", "500 many"},
		`--nodes has "0"`:           {"--nodes", "0"},
		`--client has "theirs"`:     {"--client", "theirs"},
		"at-a-time":                 {"--at-a-time", "0"},
	} {
		_, err := parse(args, &bytes.Buffer{})
		assert.ErrorContains(t, err, want)
	}
	_, err := parse([]string{"--help"}, &bytes.Buffer{})
	assert.ErrorIs(t, err, flag.ErrHelp)
}
