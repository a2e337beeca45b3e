package command

import (
	"context"
	encoding "encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// anyErrors are messages of errors. Many of them contain neither "error" nor "failed".
var anyErrors = []string{
	"boom", "EOF", "timeout", "exit status 1", "signal: killed", "context canceled", "context deadline exceeded", "disk full", "磁盘已满",
	evictionFailed, "not required", "Drain Required: false", "write /etc/a: no space left on device", "a\nb: [c, d: e]", "Draining node", strings.Repeat("many words ", 60) + "cause",
	// from public reports: runbooks pull 214, machine-config-operator pulls 3572 and 4977
	`failed calling webhook "a.example.com": failed to call webhook: Post "https://a.b.svc:443/mutate?timeout=30s": context canceled`,
	"rpm-ostree kargs: signal: terminated", `failed to retrieve file ownership for file "/etc/a": failed to retrieve UserID for username: wronguser`,
}

// reporting is a node whose daemon and drain controller use the library.
type reporting struct {
	ctx     context.Context
	node    *corev1.Node
	client  mcfgclientset.Interface
	monitor *upgrademonitor.Monitor
	manager *upgrademonitor.Monitors
}

// newReporting returns a node whose desired config is new, and an API server with the objects.
func newReporting(t *testing.T, imageMode bool, objects ...runtime.Object) *reporting {
	t.Helper()
	r := &reporting{ctx: klog.NewContext(t.Context(), klog.Logger{}), node: newKubeNode("worker-0"), client: upgrademonitortest.NewClientset(t, objects...)}
	r.node.UID = "uid-1"
	r.annotate(oldConfig, newConfig, "Working")
	config := upgrademonitor.Config{
		Client: r.client, ImageMode: func() bool { return imageMode }, Clock: clocktesting.NewFakePassiveClock(now.Add(-time.Minute)),
		Pool: func(*corev1.Node) (string, error) { return "worker", nil },
	}
	var err error
	r.manager, err = upgrademonitor.NewMonitors(r.ctx, config, func(string) (*corev1.Node, error) { return r.node, nil })
	require.NoError(t, err)
	config.NodeName, config.Node = r.node.Name, func() (*corev1.Node, error) { return r.node, nil }
	r.monitor, err = upgrademonitor.New(r.ctx, config)
	require.NoError(t, err)
	return r
}

func (r *reporting) annotate(current, desired, state string) {
	r.node.Annotations = map[string]string{
		"machineconfiguration.openshift.io/currentConfig": current,
		"machineconfiguration.openshift.io/desiredConfig": desired,
		"machineconfiguration.openshift.io/state":         state,
	}
}

func (r *reporting) report(p phases.Phase, status metav1.ConditionStatus, message string) {
	r.monitor.Report(r.ctx, p, message, status)
}

// finishBefore finishes the steps before a phase. If the phase is a parent, it also finishes its children.
func (r *reporting) finishBefore(until phases.Phase, imageMode bool) {
	for _, p := range phases.All(imageMode) {
		parent, _ := phases.ParentOf(p)
		isBefore := slices.Index(phases.All(imageMode), p) < slices.Index(phases.All(imageMode), until)
		if phasetable.IsStep(p) && (isBefore || parent == until) {
			r.report(p, metav1.ConditionUnknown, "doing "+string(p))
			r.report(p, metav1.ConditionTrue, "did "+string(p))
		}
	}
}

func (r *reporting) startOnly() {
	r.report(phases.Updated, metav1.ConditionTrue, "Node Updated")
	r.report(phases.Updated, metav1.ConditionFalse, "Node needs an update")
}

// object returns the object on the API server after all reports are written.
func (r *reporting) object(t *testing.T) *mcfgv1.MachineConfigNode {
	t.Helper()
	require.NoError(t, r.monitor.Flush(r.ctx))
	require.NoError(t, r.manager.Flush(r.ctx))
	object, err := r.client.MachineconfigurationV1().MachineConfigNodes().Get(r.ctx, r.node.Name, metav1.GetOptions{})
	require.NoError(t, err)
	object.TypeMeta = metav1.TypeMeta{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigNode"}
	return object
}

// failed is a failure that was reported.
type failed struct {
	way, cause string
	objects    []runtime.Object
}

// A failure of any phase, reported with any call of the library, is shown: the screen of all nodes, the screen of the
// node and the JSON have the whole cause, and the next command to run.
func TestEveryFailureIsShown(t *testing.T) {
	t.Parallel()
	var all []failed
	for _, imageMode := range []bool{false, true} {
		for _, p := range phases.All(imageMode) {
			if phases.KindOf(p) != phases.Singleton {
				ofPhase := failuresOf(t, p, imageMode)
				require.NotEmpty(t, ofPhase, p)
				all = append(all, ofPhase...)
			}
		}
	}
	p := newPool("worker", newConfig)
	p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now.Add(-time.Minute))
	for _, f := range all {
		list := asList(t, append(f.objects, p)...)
		shown := execute(t, list, "node", "worker-0", "-f", "-", "-o", "json")
		require.Zero(t, shown.code, shown.stderr)
		var n struct {
			Failing, Degraded bool
			Message           string
			Next              []string
		}
		require.NoError(t, encoding.Unmarshal([]byte(shown.stdout), &n))
		assert.True(t, n.Failing || n.Degraded, "%s: the failure is not shown as a failure", f.way)
		assert.Contains(t, n.Message, f.cause, f.way)
		assert.NotEmpty(t, n.Next, f.way)
		if number(f.way)%8 == 0 {
			for _, args := range [][]string{{"-o", "wide"}, {"node", "worker-0"}} {
				screen := strings.Join(strings.Fields(execute(t, list, append(args, "-f", "-")...).stdout), "")
				assert.Contains(t, screen, strings.Join(strings.Fields(f.cause), ""), f.way)
				assert.Contains(t, screen, "next:oc", f.way)
			}
		}
	}
}

// number returns a number that depends on a text alone, so that another phase changes no other case.
func number(text string) int { return int(crc32.ChecksumIEEE([]byte(text)) >> 1) }

// failuresOf reports a failure of a phase with each call of the library, both after the earlier steps and without them.
func failuresOf(t *testing.T, p phases.Phase, imageMode bool) []failed {
	t.Helper()
	const unknown, no = metav1.ConditionUnknown, metav1.ConditionFalse
	track := func(r *reporting, m *upgrademonitor.Monitor, text string, opts ...upgrademonitor.Option) {
		assert.Error(t, m.Track(r.ctx, p, "Working", func(context.Context) error { return errors.New(text) }, opts...))
	}
	ways := map[string]func(r *reporting, text string){
		"Track": func(r *reporting, text string) { track(r, r.monitor, text) },
		"Track, twice": func(r *reporting, text string) {
			track(r, r.monitor, "another cause")
			track(r, r.monitor, text)
		},
		"Report": func(r *reporting, text string) { r.report(p, unknown, "Error: "+text) },
		"GenerateAndApplyMachineConfigNode": func(r *reporting, text string) {
			_ = r.monitor.GenerateAndApplyMachineConfigNode(r.ctx, p, "Failed", "Error: "+text, unknown) // Updated is never Unknown
		},
		"GenerateAndApplyMachineConfigNode, False": func(r *reporting, text string) {
			_ = r.monitor.GenerateAndApplyMachineConfigNode(r.ctx, p, "Failed", "Error: "+text, no) // a running step is never False
		},
		"Report of a controller": func(r *reporting, text string) { r.manager.For(r.node.Name).Report(r.ctx, p, "Error: "+text, unknown) },
		"Track of a controller":  func(r *reporting, text string) { track(r, r.manager.For(r.node.Name), text) },
		"ReportDegraded":         func(r *reporting, text string) { r.monitor.ReportDegraded(r.ctx, errors.New(text)) },
		"Report of NodeDegraded": func(r *reporting, text string) { r.report(phases.NodeDegraded, metav1.ConditionTrue, text) },
	}
	if phases.KindOf(p) == phases.Child {
		ways["Track, CompletesParent"] = func(r *reporting, text string) {
			track(r, r.monitor, text, upgrademonitor.CompletesParent())
		}
	}
	if p != phases.UpdateComplete && p != phases.Uncordoned { // the message of a parent is the message of its last child
		ways["Report, and another step begins"] = func(r *reporting, text string) {
			r.report(p, unknown, "Error: "+text)
			r.report(phases.Uncordoned, unknown, "Uncordoning node")
		}
	}
	var all []failed
	for _, isFirst := range []bool{true, false} {
		r := newReporting(t, imageMode)
		r.startOnly()
		if !isFirst {
			r.finishBefore(p, imageMode)
		}
		before := r.object(t)
		for _, way := range slices.Sorted(maps.Keys(ways)) {
			name := fmt.Sprintf("%s, image mode %t, %s, first %t", p, imageMode, way, isFirst)
			text := anyErrors[number(name)%len(anyErrors)]
			if text == evictionFailed && !isFirst { // an error of the drain is over once the node is drained
				text = "disk full"
			}
			r := newReporting(t, imageMode, before)
			ways[way](r, text)
			after := r.object(t)
			if !slices.ContainsFunc(after.Status.Conditions, func(c metav1.Condition) bool { return strings.Contains(c.Message, text) }) {
				continue // the report was rejected
			}
			objects := []runtime.Object{after}
			if isFirst {
				objects = append(objects, r.node)
			}
			all = append(all, failed{fmt.Sprintf("%s, %q", name, text), text, objects})
		}
	}
	return all
}

// Outside of an update, the screen shows failures of the node, of pinned image sets, and of the steps that a daemon repeats
// after a restart.
func TestAFailureOutsideOfAnUpdateIsShown(t *testing.T) {
	t.Parallel()
	set := func(err error) []upgrademonitor.PinnedImageSet {
		return []upgrademonitor.PinnedImageSet{{Name: "set-1", Generation: 1, Err: err}, {Name: "set-2", Generation: 1, Done: true}}
	}
	ways := map[string]func(r *reporting, err error){
		"ReportDegraded":        func(r *reporting, err error) { r.monitor.ReportDegraded(r.ctx, err) },
		"one pinned image set":  func(r *reporting, err error) { r.monitor.ReportPinnedImageSets(r.ctx, set(err), nil) },
		"all pinned image sets": func(r *reporting, err error) { r.monitor.ReportPinnedImageSets(r.ctx, set(nil), err) },
		"no pinned image set":   func(r *reporting, err error) { r.monitor.ReportPinnedImageSets(r.ctx, set(nil)[1:], err) },
		"a condition": func(r *reporting, err error) {
			r.report(phases.PinnedImageSetsDegraded, metav1.ConditionTrue, err.Error())
		},
	}
	for _, p := range []phases.Phase{phases.Resumed, phases.UpdateComplete, phases.Uncordoned} {
		ways[string(p)] = func(r *reporting, err error) {
			_ = r.monitor.Track(r.ctx, p, "Working", func(context.Context) error { return err })
		}
	}
	p := updatedPool("worker", newConfig)
	for way, fail := range ways {
		for i, text := range anyErrors {
			r := newReporting(t, false)
			r.annotate(newConfig, newConfig, "Done")
			r.report(phases.Updated, metav1.ConditionTrue, "Node Updated")
			fail(r, errors.New(text))
			objects := []runtime.Object{p, r.object(t)}
			if i%2 == 0 {
				objects = append(objects, r.node)
			}
			list := asList(t, objects...)
			for _, args := range [][]string{{"-o", "wide"}, {"node", "worker-0"}} {
				screen := strings.Join(strings.Fields(execute(t, list, append(args, "-f", "-")...).stdout), "")
				assert.Contains(t, screen, strings.Join(strings.Fields(text), ""), way)
				assert.Contains(t, screen, "next:oc", way)
			}
			if isTransient := phases.KindOf(phases.Phase(way)) != ""; !isTransient {
				waited := execute(t, list, "wait", "-f", "-")
				assert.Equal(t, exitFailed, waited.code, "%s: %s", way, waited.stdout)
			}
		}
	}
}
