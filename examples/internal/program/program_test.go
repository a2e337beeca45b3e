package program_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/examples/internal/program"
)

type timeoutError struct{}

func (timeoutError) Error() string { return "timed out" }
func (timeoutError) ExitCode() int { return 3 }

func run(t *testing.T, args []string, f program.Func) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut strings.Builder
	code = program.Run(t.Context(), args, program.Streams{Name: "test", Out: &out, ErrOut: &errOut}, f)
	return code, out.String(), errOut.String()
}

func TestExitCode(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		code int
		want string
	}{
		"success":        {nil, 0, ""},
		"failure":        {errors.New("no server"), 1, "test: no server\n"},
		"usage":          {program.Usage(errors.New("unknown flag: --x")), 2, "test: unknown flag: --x; see --help\n"},
		"its own":        {fmt.Errorf("pool worker: %w", timeoutError{}), 3, "test: pool worker: timed out\n"},
		"several lines":  {errors.Join(errors.New("one"), errors.New("two\r\nthree")), 1, "test: one; two; three\n"},
		"without a text": {errors.New(""), 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(t, nil, func(context.Context, []string, program.Streams) error { return tc.err })
			assert.Equal(t, tc.code, code)
			assert.Empty(t, stdout)
			assert.Equal(t, tc.want, stderr)
		})
	}
}

func flags(_ context.Context, args []string, streams program.Streams) error {
	f := program.NewFlags("test", streams.Out, func(flags string) string { return "Flags:\n" + flags })
	f.Bool("zulu", false, "the first")
	f.Bool("alpha", false, "the second")
	return program.Usage(program.Parse(f, args))
}

func TestFlags(t *testing.T) {
	for name, tc := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"none":     {nil, 0, "", ""},
		"help":     {[]string{"--help"}, 0, "Flags:\n      --zulu    the first\n      --alpha   the second\n", ""},
		"unknown":  {[]string{"--bravo"}, 2, "", "test: unknown flag: --bravo; see --help\n"},
		"argument": {[]string{"now"}, 2, "", "test: unexpected argument \"now\": there are only flags; see --help\n"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(t, tc.args, flags)
			assert.Equal(t, tc.code, code)
			assert.Equal(t, tc.stdout, stdout)
			assert.Equal(t, tc.stderr, stderr)
		})
	}
}

func TestLogsGoToTheErrorStream(t *testing.T) {
	code, stdout, stderr := run(t, nil, func(ctx context.Context, _ []string, streams program.Streams) error {
		klog.FromContext(ctx).Info("Updated the pool")
		_, err := io.WriteString(streams.Out, "worker\n")
		return err
	})
	assert.Zero(t, code)
	assert.Equal(t, "worker\n", stdout)
	assert.Contains(t, stderr, `"Updated the pool"`)
}
