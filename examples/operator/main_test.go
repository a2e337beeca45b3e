package main

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/openshift/upgrademonitor/examples/internal/programtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func execute(ctx context.Context, args ...string) programtest.Outcome {
	return programtest.Run(ctx, "operator", run, args...)
}
