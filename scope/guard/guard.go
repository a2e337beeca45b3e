package guard

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The defaults of the fields of a Guard.
const (
	// DefaultName differs from mcn-guards, the name of machine-config-operator's policy, so that
	// both policies can be installed.
	DefaultName           = "mcn-guards-upgrademonitor"
	DefaultNamespace      = "openshift-machine-config-operator"
	DefaultServiceAccount = "machine-config-daemon"
)

// The claims of a service account token that is bound to a Node, or to a Pod on a Node. The API
// server sets these claims when it issues the token. A user cannot change them.
const (
	NodeNameClaim = "authentication.kubernetes.io/node-name"
	NodeUIDClaim  = "authentication.kubernetes.io/node-uid"
)

// Guard configures the objects that restrict the daemon of each node to the MachineConfigNode of
// that node. The API server enforces the restriction, even if a node runs hostile code.
//
//	g := guard.Guard{EnforceTransitions: true}
//	err := g.WriteManifests(os.Stdout) // | kubectl apply -f -
//
// The objects have these effects:
//
//  1. A ClusterRole grants the daemons' service account only the verbs that package upgrademonitor
//     needs.
//  2. An admission policy denies every write to the MachineConfigNode of another node, and some
//     writes to the MachineConfigNode of the daemon's own node: see Policy.
//  3. With EnforceTransitions, a second policy denies invalid changes of conditions: see
//     TransitionPolicy.
//  4. The policies apply only to requests of the service account. They deny no request that package
//     upgrademonitor makes for the daemon's own node.
//
// A denied request gets status 403 and a message with the cause. The methods of a Guard make no
// request, and are safe for concurrent use. The zero value is usable.
type Guard struct {
	// Name is the name of Policy and of the ClusterRole, and the prefix of the names of the other
	// objects. Default: DefaultName.
	Name string
	// Namespace is the namespace of the service account. Default: DefaultNamespace.
	Namespace string
	// ServiceAccount is the service account of the daemon. Default: DefaultServiceAccount.
	ServiceAccount string
	// EnforceTransitions adds the TransitionPolicy. The default is false, because the
	// TransitionPolicy also denies writes of daemons that do not use this library.
	EnforceTransitions bool
}

// validate returns a *field.Error for the first invalid name.
func (g Guard) validate() error {
	g = g.complete()
	longest := g.transitionName() + bindingSuffix
	for _, f := range []struct {
		field, value string
		check        validation.ValidateNameFunc
		checked      string
	}{
		{"Name", g.Name, validation.NameIsDNSSubdomain, longest},
		{"Namespace", g.Namespace, validation.ValidateNamespaceName, g.Namespace},
		{"ServiceAccount", g.ServiceAccount, validation.ValidateServiceAccountName, g.ServiceAccount},
	} {
		if problems := f.check(f.checked, false); len(problems) > 0 {
			return field.Invalid(field.NewPath("guard", "Guard", f.field), f.value, strings.Join(problems, "; "))
		}
	}
	return nil
}

const (
	bindingSuffix    = "-binding"
	transitionSuffix = "-transitions"
)

func (g Guard) complete() Guard {
	g.Name = cmp.Or(g.Name, DefaultName)
	g.Namespace = cmp.Or(g.Namespace, DefaultNamespace)
	g.ServiceAccount = cmp.Or(g.ServiceAccount, DefaultServiceAccount)
	return g
}

func (g Guard) transitionName() string { return g.complete().Name + transitionSuffix }

// username returns the user name of the service account.
func (g Guard) username() string {
	g = g.complete()
	return "system:serviceaccount:" + g.Namespace + ":" + g.ServiceAccount
}
