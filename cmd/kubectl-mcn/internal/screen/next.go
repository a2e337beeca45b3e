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
)

const (
	inNamespace   = "oc -n openshift-machine-config-operator "
	controllerLog = inNamespace + "logs deploy/machine-config-controller -c machine-config-controller"
	// A daemon's error contains seeController if the cause is in the controller's log.
	seeController = "see machine-config-controller logs"
)

// Next returns commands that show more about a stuck or slow node than the screen does. It omits
// commands with names that cannot be pasted into a shell.
func Next(n cluster.Node) []string {
	switch {
	case n.State != cluster.Stuck && !n.Slow:
		return nil
	case len(n.Pods) > 0:
		return nextForPods(n.Pods)
	case n.Step == phases.Drained && !n.Degraded, strings.Contains(n.Message, seeController):
		return []string{controllerLog}
	case !isName.MatchString(n.Name):
		return nil
	case n.NotReady, n.Step == phases.RebootedNode && !n.Degraded: // the daemon is possibly not running
		return []string{"oc describe node " + n.Name}
	}
	return daemonLog(n.Name)
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
	return []string{inNamespace + "logs -c machine-config-daemon $(" + inNamespace +
		"get pods -o name -l k8s-app=machine-config-daemon --field-selector spec.nodeName=" + node + ")"}
}

func nextForPool(pool string, c cluster.PoolCondition) []string {
	node := reportingFor.FindStringSubmatch(c.Message)
	switch {
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
