// Package show prints what MachineConfigNodes show, for the example programs: one line per change.
package show

import (
	"context"
	"fmt"
	"io"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// width is what is left for a message in a line of 100 columns.
const width = 50

// Changes prints each change of a condition until done returns true for the object, or ctx ends. The
// function that it returns waits for that.
func Changes(ctx context.Context, out io.Writer, client mcfgclientset.Interface, done func(*mcfgv1.MachineConfigNode) bool) (wait func(), err error) {
	w, err := client.MachineconfigurationV1().MachineConfigNodes().Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("watch MachineConfigNodes: %w", err)
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		defer w.Stop()
		before := map[string]*mcfgv1.MachineConfigNode{}
		for {
			select {
			case <-ctx.Done():
				return
			case event := <-w.ResultChan():
				mcn, ok := event.Object.(*mcfgv1.MachineConfigNode)
				if !ok || event.Type == watch.Deleted {
					continue
				}
				print(out, before[mcn.Name], mcn)
				before[mcn.Name] = mcn
				if done(mcn) {
					return
				}
			}
		}
	}()
	return func() { <-finished }, nil
}

// print prints the conditions that differ, children indented. What the end of an update sets back to
// False, with its name in the message, is left out.
func print(out io.Writer, before, mcn *mcfgv1.MachineConfigNode) {
	var known []metav1.Condition
	if before != nil {
		known = before.Status.Conditions
	}
	for _, c := range mcn.Status.Conditions {
		p := phases.Phase(c.Type)
		last := conditions.Find(known, p)
		ran := c.Status != metav1.ConditionFalse || last != nil && last.Status != c.Status || p == phases.Updated
		if !ran || conditions.HasUpdatePrefix(c.Message) || last != nil && last.Status == c.Status && last.Message == c.Message {
			continue
		}
		indent := 0
		if _, ok := phases.ParentOf(p); ok {
			indent = 2
		}
		message := conditions.TruncateTo(strings.ReplaceAll(c.Message, "\n", " "), width)
		fmt.Fprintf(out, "%s  %-28s %-8s %s\n", c.LastTransitionTime.UTC().Format("15:04:05"), strings.Repeat(" ", indent)+c.Type, c.Status, message)
	}
}

// Update returns a function that reports whether an update has begun and ended.
func Update() func(*mcfgv1.MachineConfigNode) bool {
	began := false
	return func(mcn *mcfgv1.MachineConfigNode) bool {
		c := conditions.Find(mcn.Status.Conditions, phases.Updated)
		if c == nil || c.Reason == conditions.ReasonNotYetOccurred {
			return false
		}
		began = began || c.Status == metav1.ConditionFalse
		return began && c.Status == metav1.ConditionTrue
	}
}
