package guard

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The defaults of the fields of a Guard.
const (
	// DefaultName differs from mcn-guards, the name of the policy that
	// machine-config-operator ships: that policy would otherwise be overwritten.
	DefaultName           = "mcn-guards-upgrademonitor"
	DefaultNamespace      = "openshift-machine-config-operator"
	DefaultServiceAccount = "machine-config-daemon"
)

// The claims of a token that is bound to a Node, or to a Pod that runs on one. The API server
// sets them; a user cannot.
const (
	NodeNameClaim = "authentication.kubernetes.io/node-name"
	NodeUIDClaim  = "authentication.kubernetes.io/node-uid"
)

// Guard describes the objects that restrict the daemon of each node to the MachineConfigNode
// of its node. The API server enforces them, whatever code runs on a node.
//
//		g := guard.Guard{EnforceTransitions: true}
//		err := g.WriteManifests(os.Stdout) // | kubectl apply -f -
//
//	 1. A ClusterRole grants the service account the verbs that the library needs, and no other.
//	 2. An admission policy denies every write of an object of another node than the one that
//	    the token is bound to, and what the library never does to its own object: changes of
//	    labels, annotations and finalizers, owners other than the Node, and deletion.
//	 3. With EnforceTransitions, a second policy denies a status that no node can have: see
//	    TransitionPolicy.
//	 4. The policies do not apply to other users.
//
// A denied request is answered with 403 and a message that says why. The methods
// describe objects; none of them makes a request. The zero value is usable.
type Guard struct {
	// Name is the name of the role and the policy, and the prefix of the other names. Default:
	// DefaultName.
	Name string
	// Namespace is the namespace of the service account. Default: DefaultNamespace.
	Namespace string
	// ServiceAccount is the service account of the daemon. Default: DefaultServiceAccount.
	ServiceAccount string
	// EnforceTransitions adds the TransitionPolicy. It also denies what a daemon without this
	// library writes, so it is off by default.
	EnforceTransitions bool
}

// Validate returns a *field.Error for the first of the names that no object can have.
func (g Guard) Validate() error {
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
