package screen

import (
	"cmp"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/poolwords"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const daemonPod = "-l k8s-app=machine-config-daemon --field-selector spec.nodeName="

// The commands below have NAME in place of the name of a node or pool.
const (
	daemonLog    = mco.InNamespace + "logs -c machine-config-daemon $(" + mco.InNamespace + "get pods -o name " + daemonPod + "NAME)"
	daemonPods   = mco.InNamespace + "get pods -o wide " + daemonPod + "NAME"
	describeNode = "oc describe node NAME"
	describePool = "oc describe mcp NAME"
	byAge        = "oc get machineconfigs --sort-by=.metadata.creationTimestamp"
	showWebhooks = "oc get validatingwebhookconfigurations,mutatingwebhookconfigurations"
	showLabels   = "oc get node NAME --show-labels"
	uncordon     = "oc adm uncordon NAME"
	cordon       = "oc adm cordon NAME"
)

// changesNode reports whether a command changes a node. All other commands only show more.
func changesNode(command string) bool { return slices.Contains(strings.Fields(command), "adm") }

// nextFor returns the commands with name in place of NAME, or nil if the name cannot be pasted into
// a shell.
func nextFor(name string, commands ...string) []string {
	if !nodemeta.IsName(name) {
		return nil
	}
	for i, c := range commands {
		commands[i] = strings.ReplaceAll(c, "NAME", name)
	}
	return commands
}

// Next returns commands for a stuck or slow node: they show more than the screen does, or cordon a node again whose
// cordon was lifted.
func Next(n cluster.Node, o Options) []string {
	next := nextForStep(n, o)
	if len(next) > 0 && n.Cordoner.Deletes() { // its deletion matters more than its update
		next = append(next, nextFor(n.Name, n.Cordoner.Next)...)
	}
	return next
}

// nextForStep returns commands that show more about the step of a stuck or slow node.
func nextForStep(n cluster.Node, o Options) []string {
	message := n.Message
	if n.IsOld { // another step is under way
		message = ""
	}
	var next []string
	mayBeDown := n.Step == phases.RebootedNode && !n.Degraded && !n.HasNode
	if n.Is(progress.NotReady) || mayBeDown { // then steps fail, and pods neither terminate nor come back
		next = nextFor(n.Name, describeNode)
	}
	if n.IsLifted {
		next = append(next, nextFor(n.Name, cordon)...)
	}
	// The controller cordons, drains and uncordons. The daemon carries out all other steps.
	isOfController := slices.Contains([]phases.Phase{phases.Cordoned, phases.Drained, phases.Uncordoned}, n.Step) && isAsked(n)
	isOfStep := isOfController && (message == "" || n.IsOfStep)
	switch {
	case n.State != cluster.Stuck && !n.Slow && n.IsToOtherPool():
		return nextFor(n.Name, showLabels)
	case n.State != cluster.Stuck && !n.Slow && (!n.OffTarget || n.Back.IsZero()):
		return nil
	case len(n.Pods) > 0:
		_, ofPods := o.ofPods(n)
		next = append(next, ofPods...)
		if mco.Webhook.MatchString(message) {
			next = append(next, showWebhooks)
		}
		return next
	case mco.SeeController.MatchString(message), isOfStep:
		return append(next, mco.ControllerLog)
	case n.Is(progress.NotReady) && n.Back.IsZero(), mayBeDown: // the daemon may not be running
		return next
	case n.NotStarted() && !n.Degraded, !n.Back.IsZero():
		return append(next, nextFor(n.Name, daemonPods, daemonLog)...)
	}
	return append(next, nextFor(n.Name, daemonLog)...)
}

// isAsked reports whether the daemon has asked the controller for the step of a node, as far as that is known.
func isAsked(n cluster.Node) bool {
	verb := "drain-"
	if n.Step == phases.Uncordoned {
		verb = "uncordon-"
	}
	isRequested := n.DesiredDrain == "" || n.DesiredDrain == verb+n.Desired.Config
	return n.HasBegun() || isRequested && !mco.NotAsked.MatchString(n.Message)
}

// nextForUnavailable returns the commands that help with an unavailable Node.
func nextForUnavailable(n cluster.Node) []string {
	if n.Cordoner.Deletes() {
		return nextFor(n.Name, n.Cordoner.Next)
	}
	var next []string
	for _, u := range n.Unavailable {
		switch {
		case u.Reason != progress.Cordoned:
			next = nextFor(n.Name, describeNode) // these reasons come first
		case n.DesiredDrain != n.LastAppliedDrain:
			next = append(next, mco.ControllerLog) // the controller has to drain or uncordon the Node
		default:
			next = append(next, nextFor(n.Name, cmp.Or(n.Cordoner.Next, uncordon))...)
		}
	}
	return next
}

func nextForPool(p cluster.Pool, c cluster.PoolCondition, o Options) []string {
	reports := poolwords.ReadReports(c.Message)
	build, name, _ := poolwords.ReadBuild(c.Message)
	name = cmp.Or(name, mco.NameIn(c.Message, mco.NamedBuild))
	config := mco.NameIn(c.Message, mco.NamedConfig)
	switch {
	case build.State == poolwords.None:
		return nextFor(name, "oc describe machineosconfig NAME")
	case c.Type == cluster.BuildSucceeded && (p.Paused || p.Full || p.WaitsFor != nil):
		return nil // another entry says what holds the nodes back
	case c.Type == cluster.BuildSucceeded:
		return []string{mco.ControllerLog} // the controller tells the nodes to apply the image
	case name != "":
		return nextFor(name, "oc describe machineosbuild NAME")
	case c.IsOfBuild():
		return []string{"oc describe machineosbuilds"}
	case config != "":
		return nextFor(config, "oc describe machineconfig NAME")
	case c.Type == string(mcfgv1.MachineConfigPoolRenderDegraded):
		return []string{byAge} // no rendered config is newer than the wrong MachineConfig
	case mco.SeeController.MatchString(c.Message):
		return []string{mco.ControllerLog}
	case len(reports) > 0:
		return nextFor(cmp.Or(o.Node, reports[0].Node), daemonLog)
	}
	return nextFor(p.Name, describePool)
}
