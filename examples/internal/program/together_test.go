package program_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/examples/internal/program"
)

func TestTogetherEndsWithTheFirst(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	waited := false
	err := program.Together(t.Context(),
		func(context.Context) error { return first },
		func(ctx context.Context) error {
			<-ctx.Done()
			waited = true
			return second
		})
	assert.ErrorIs(t, err, first)
	assert.ErrorIs(t, err, second)
	assert.True(t, waited)
}

func TestTogetherEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	untilDone := func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}
	assert.NoError(t, program.Together(ctx, untilDone, untilDone))
}
