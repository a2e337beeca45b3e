package bounded_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/bounded"
)

func TestCall(t *testing.T) {
	failed := errors.New("failed")
	for name, tc := range map[string]struct {
		takes time.Duration
		err   error
		want  string
		fails error
	}{
		"at once":                    {0, nil, "answer", nil},
		"an error":                   {time.Second, failed, "answer", failed},
		"just after the context":     {time.Minute + time.Millisecond, nil, "answer", nil},
		"the context is ignored":     {time.Hour, nil, "", context.DeadlineExceeded},
		"ignored, with a late error": {time.Hour, failed, "", context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				got, err := bounded.Call(ctx, func() (string, error) {
					<-time.After(tc.takes)
					return "answer", tc.err
				})
				assert.Equal(t, tc.want, got)
				assert.ErrorIs(t, err, tc.fails)
				assert.LessOrEqual(t, time.Since(began), time.Minute+time.Second)
				<-time.After(tc.takes) // the request ends, too
			})
		})
	}
}
