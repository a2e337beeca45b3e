package screen

import (
	"regexp"
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

var (
	// isName matches a name that can be pasted into a shell.
	isName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)
	// reportingFor matches the message of a pool's condition NodeDegraded.
	reportingFor = regexp.MustCompile(`^Node (\S+) is reporting`)
	// isOfController matches the error of a cordon, a drain or an uncordon.
	isOfController = regexp.MustCompile(`(?i)cordon|drain|evict`)
)

const (
	inNamespace   = "oc -n openshift-machine-config-operator "
	controllerLog = inNamespace + "logs deploy/machine-config-controller -c machine-config-controller"
	daemonPod     = "-l k8s-app=machine-config-daemon --field-selector spec.nodeName="
	// A daemon's error contains seeController if the cause is in the controller's log.
	seeController = "see machine-config-controller logs"
)

// ofController are the steps of an update that the controller carries out. The daemon carries out
// the others.
var ofController = []phases.Phase{phases.Cordoned, phases.Drained, phases.Uncordoned}

// Next returns commands that show more about a stuck or slow node than the screen does. It omits
// commands with names that cannot be pasted into a shell.
func Next(n cluster.Node) []string {
	switch {
	case n.State != cluster.Stuck && !n.Slow:
		return nil
	case len(n.Pods) > 0:
		return nextForPods(n.Pods)
	case strings.Contains(n.Message, seeController), slices.Contains(ofController, n.Step) && (!n.Degraded || isOfController.MatchString(n.Message)):
		return []string{controllerLog}
	case !isName.MatchString(n.Name):
		return nil
	case n.Is(progress.NotReady), n.Step == phases.RebootedNode && !n.Degraded: // the daemon is possibly not running
		return []string{"oc describe node " + n.Name}
	case n.NotStarted && !n.Degraded:
		return nextForDaemon(n)
	}
	return daemonLog(n.Name)
}

// nextForDaemon returns commands that show the pod of a node's daemon and its log.
func nextForDaemon(n cluster.Node) []string {
	if !isName.MatchString(n.Name) {
		return nil
	}
	return append([]string{inNamespace + "get pods -o wide " + daemonPod + n.Name}, daemonLog(n.Name)...)
}

// nextForUnavailable returns the command that helps with an unavailable Node.
func nextForUnavailable(n cluster.Node) []string {
	switch {
	case !isName.MatchString(n.Name) || len(n.Unavailable) == 0:
		return nil
	case n.Unavailable[0].Reason == progress.Cordoned: // the last of the reasons, so there is no other
		return []string{"oc adm uncordon " + n.Name}
	}
	return []string{"oc describe node " + n.Name}
}

// nextForConflict returns the command that shows the labels of a node.
func nextForConflict(n cluster.Node) []string {
	if !isName.MatchString(n.Name) {
		return nil
	}
	return []string{"oc get node " + n.Name + " --show-labels"}
}

// nextForPods returns a command for each namespace in which an eviction was refused, and for each
// pod that does not terminate.
func nextForPods(pods []progress.Pod) []string {
	var all []string
	for _, p := range pods {
		next := "oc get pdb -n " + p.Namespace
		if !p.Refused {
			next = "oc get pod " + p.Name + " -n " + p.Namespace
		}
		if isName.MatchString(p.Name) && isName.MatchString(p.Namespace) && !slices.Contains(all, next) {
			all = append(all, next)
		}
	}
	return all
}

func daemonLog(node string) []string {
	return []string{inNamespace + "logs -c machine-config-daemon $(" + inNamespace + "get pods -o name " + daemonPod + node + ")"}
}

func nextForPool(pool string, c cluster.PoolCondition) []string {
	node := reportingFor.FindStringSubmatch(c.Message)
	switch {
	case strings.Contains(c.Message, "(mosc: "):
		return []string{"oc describe machineosconfigs"} // there is no build yet
	case c.Type == "BuildSucceeded":
		return []string{controllerLog} // it tells the nodes to apply the image
	case strings.Contains(c.Type, "Build"):
		return []string{"oc describe machineosbuilds"}
	case strings.Contains(c.Message, seeController):
		return []string{controllerLog}
	case node != nil && isName.MatchString(node[1]):
		return daemonLog(node[1])
	case c.Message == "" && isName.MatchString(pool):
		return []string{"oc describe mcp " + pool}
	}
	return nil
}
