package screen

import (
	"regexp"
	"strings"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

var (
	namespaceOf = regexp.MustCompile(`-n "?([a-z0-9][a-z0-9-]{0,62})"?`)
	isName      = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)
)

// inNamespace is where the daemons run.
const inNamespace = "oc -n openshift-machine-config-operator "

// Next returns the command that tells more about a stuck node, "" for none: what keeps a drain from
// evicting, else the log of the daemon.
func Next(n progress.Node) string {
	if n.Step == phases.Drained {
		if m := namespaceOf.FindStringSubmatch(n.Message); m != nil {
			return "oc get pdb -n " + m[1]
		}
	}
	if !isName.MatchString(n.Name) {
		return "" // it could not be pasted
	}
	return inNamespace + "logs -c machine-config-daemon $(" +
		inNamespace + "get pods -o name -l k8s-app=machine-config-daemon --field-selector spec.nodeName=" + n.Name + ")"
}

func nextForPool(pool, condition string) string {
	switch {
	case strings.Contains(condition, "Build"):
		return "oc describe machineosbuilds"
	case strings.Contains(condition, "Pinned"):
		return "oc describe pinnedimagesets"
	case !isName.MatchString(pool):
		return "oc describe mcp"
	}
	return "oc describe mcp " + pool
}
