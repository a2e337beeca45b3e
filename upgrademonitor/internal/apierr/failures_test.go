package apierr_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// A failure is logged once when it starts, once when its cause changes, and once when it ends. Each key has its own failure.
func TestAFailureIsLoggedOnce(t *testing.T) {
	var out bytes.Buffer
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out)))
	var failures apierr.Failures
	refused, reset, down := errors.New("refused"), errors.New("reset"), apierrors.NewServiceUnavailable("down")
	for _, tc := range []struct {
		key  string
		err  error
		want string
	}{
		{"a", nil, ""},
		{"a", refused, `"Failed" err="refused"`},
		{"a", reset, ""},
		{"b", reset, `"Failed" err="reset"`},
		{"a", down, `"Failed" err="down"`},
		{"a", down, ""},
		{"a", nil, `"This works again" failure="Failed"`},
		{"a", nil, ""},
		{"a", down, `"Failed" err="down"`},
		{"b", nil, `"This works again" failure="Failed"`},
	} {
		out.Reset()
		failures.Log(logger, tc.key, "Failed", tc.err)
		_, line, _ := strings.Cut(strings.TrimSpace(out.String()), "] ")
		assert.Equal(t, tc.want, line)
	}
}
