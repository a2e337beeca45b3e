package apierr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// logged is a context whose log is kept.
func logged(t *testing.T) (context.Context, func() []string) {
	t.Helper()
	var out bytes.Buffer
	ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out))))
	return ctx, func() []string {
		defer out.Reset()
		return strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' })
	}
}

func TestLog(t *testing.T) {
	ctx, lines := logged(t)
	var log apierr.Log
	failed := func(err error) { log.Failed(ctx, "a", err, "Failed to write", "node", "worker-0") }
	forbidden := apierrors.NewForbidden(resource, "worker-0", errors.New("no"))

	log.Recovered(ctx, "a", "Wrote again")
	log.Failed(ctx, "a", nil, "Failed to write")
	assert.Empty(t, lines(), "nothing has failed")

	for range 3 {
		failed(forbidden)
	}
	line := lines()
	require.Len(t, line, 1, "once")
	assert.True(t, strings.HasPrefix(line[0], "E"), line[0])
	assert.Contains(t, line[0], "log_test.go", "the caller's line")
	for _, part := range []string{`"Failed to write"`, `err="`, `node="worker-0"`, `outcome="Denied"`, `advice="grant`} {
		assert.Contains(t, line[0], part)
	}

	failed(apierrors.NewServiceUnavailable("down"))
	failed(apierrors.NewServiceUnavailable("down"))
	require.Len(t, lines(), 1, "the cause changed")
	failed(forbidden)
	require.Len(t, lines(), 1, "and back")

	log.Recovered(ctx, "a", "Wrote again", "node", "worker-0")
	log.Recovered(ctx, "a", "Wrote again", "node", "worker-0")
	line = lines()
	require.Len(t, line, 1, "over once")
	assert.True(t, strings.HasPrefix(line[0], "I"), line[0])
	for _, part := range []string{"log_test.go", `"Wrote again"`, `node="worker-0"`, "failedAttempts=6"} {
		assert.Contains(t, line[0], part)
	}

	failed(forbidden)
	require.Len(t, lines(), 1, "a new failure of the same cause")
}

// TestSameCause has errors that differ from one attempt to the next.
func TestSameCause(t *testing.T) {
	dial := func(port string, err error) error {
		return &url.Error{Op: "Patch", URL: "https://127.0.0.1:" + port, Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	for name, tc := range map[string]struct {
		a, b error
		same bool
	}{
		"resource versions": {errors.New("cannot 17 at 1234"), errors.New("cannot 18 at 9"), true},
		"refused, reset":    {dial("1", syscall.ECONNREFUSED), dial("2", syscall.ECONNRESET), true},
		"slow, cut off":     {fmt.Errorf("write: %w", context.DeadlineExceeded), fmt.Errorf("read: %w", io.ErrUnexpectedEOF), true},
		"reasons":           {apierrors.NewTooManyRequestsError("x"), apierrors.NewTimeoutError("x", 1), false},
		"classes":           {apierrors.NewInternalError(errors.New("x")), apierrors.NewForbidden(schema.GroupResource{}, "a", nil), false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, lines := logged(t)
			var log apierr.Log
			log.Failed(ctx, "a", tc.a, "Failed to write")
			log.Failed(ctx, "a", tc.b, "Failed to write")
			want := 2
			if tc.same {
				want = 1
			}
			assert.Len(t, lines(), want)
		})
	}
}

// Each key has its failure. A local failure has its text as the cause, and a nil error is its end.
func TestKeys(t *testing.T) {
	ctx, lines := logged(t)
	log := apierr.Log{Values: []any{"node", "worker-0"}}
	cause := errors.New("no")
	for range 2 {
		for _, key := range []string{"a", "b"} {
			log.Failed(ctx, key, cause, "Failed to write")
			log.Local(ctx, "c", cause, "Failed to read", "Read again")
		}
	}
	assert.Len(t, lines(), 3, "each once")
	log.Local(ctx, "c", errors.New("another"), "Failed to read", "Read again")
	for range 2 {
		log.Recovered(ctx, "a", "Wrote again")
		log.Local(ctx, "c", nil, "Failed to read", "Read again")
	}
	line := lines()
	require.Len(t, line, 3)
	for i, text := range []string{"Failed to read", "Wrote again", "Read again"} {
		assert.Contains(t, line[i], text)
		assert.Contains(t, line[i], `node="worker-0"`)
	}
	log.Forget("b")
	log.Recovered(ctx, "b", "Wrote again")
	assert.Empty(t, lines())
}
