package components_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// logged runs a healthy operator, and returns its new lines of log each time.
func logged(t *testing.T, m *memory) (*process, func() []string) {
	t.Helper()
	p := healthy(t, m)
	p.stop()
	var out bytes.Buffer
	p.runIn(loggedTo(t, &out))
	return p, func() []string { return newLines(&out) }
}

func loggedTo(t *testing.T, out *bytes.Buffer) context.Context {
	return klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(out))))
}

func newLines(out *bytes.Buffer) []string {
	defer out.Reset()
	return strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' })
}

// TestTheLogOfRejectedWrites has one line when the cause changes, and one when it is over.
func TestTheLogOfRejectedWrites(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p, lines := logged(t, m)
		forbidden := 0
		m.mu.Lock()
		m.fail = func() error {
			forbidden++
			return apierrors.NewForbidden(operatorv1.Resource("machineconfigurations"), "cluster", fmt.Errorf("attempt %d", forbidden))
		}
		m.mu.Unlock()
		p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		pass(3 * time.Hour)
		assert.Greater(t, forbidden, 10)
		got := lines()
		require.Len(t, got, 1)
		assert.Contains(t, got[0], "Failed to write the conditions of a component, retrying")
		assert.Contains(t, got[0], `outcome="Denied"`)

		m.failWith(apierrors.NewInternalError(errors.New("field not declared in schema")))
		pass(3 * time.Hour)
		got = lines()
		require.Len(t, got, 1, "another cause")
		assert.Contains(t, got[0], "not declared")

		m.failWith(nil)
		pass(3 * time.Hour)
		got = lines()
		require.Len(t, got, 1)
		assert.Contains(t, got[0], "Wrote the conditions of a component again")
	})
}

// TestTheLogOfAMissingObject has a line each time that it is missing, and one each time that it is back.
func TestTheLogOfAMissingObject(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		_, lines := logged(t, m)
		object, before := m.object.DeepCopy(), m.writes()
		for range 3 {
			m.change(func(*operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration { return nil })
			pass(time.Hour)
			got := lines()
			require.Len(t, got, 1)
			assert.Contains(t, got[0], "Waiting for a MachineConfiguration")
			m.change(func(*operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration { return object.DeepCopy() })
			pass(time.Hour)
			got = lines()
			require.Len(t, got, 1)
			assert.Contains(t, got[0], "Found the MachineConfiguration")
		}
		assert.Equal(t, before, m.writes(), "it came back as it was")
	})
}

// forbiddenLeases cannot be read until the permission is granted.
type forbiddenLeases struct {
	*leases
	granted atomic.Bool
}

func (f *forbiddenLeases) Get(ctx context.Context, name string, options metav1.GetOptions) (*coordinationv1.Lease, error) {
	if f.granted.Load() {
		return f.leases.Get(ctx, name, options)
	}
	return nil, apierrors.NewForbidden(coordinationv1.Resource("leases"), name, nil)
}

// TestTheLogOfALeaseThatCannotBeRead has a line when that begins, and one when it is over.
func TestTheLogOfALeaseThatCannotBeRead(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *memory) {
		client := &forbiddenLeases{leases: &leases{}}
		watch, err := components.NewLeaseWatch(components.LeaseConfig{
			Client: client, Component: components.Controller, Judge: func(components.Component, ...metav1.Condition) error { return nil },
		})
		require.NoError(t, err)
		var out bytes.Buffer
		ctx, cancel := context.WithCancel(loggedTo(t, &out))
		ended := make(chan error)
		go func() { ended <- watch.Run(ctx) }()
		pass(time.Hour)
		got := newLines(&out)
		require.Len(t, got, 1)
		assert.Contains(t, got[0], `"Failed to read a Lease, retrying"`)
		client.granted.Store(true)
		pass(time.Hour)
		got = newLines(&out)
		require.Len(t, got, 1)
		assert.Contains(t, got[0], `"Read a Lease again"`)
		cancel()
		assert.NoError(t, <-ended)
	})
}
