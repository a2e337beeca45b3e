package scope

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
)

// What a Guard's empty fields stand for.
const (
	DefaultGuardName           = "mcn-guards"
	DefaultGuardNamespace      = "openshift-machine-config-operator"
	DefaultGuardServiceAccount = "machine-config-daemon"
)

// The claims that a token has which is bound to a Node, or to a Pod that runs on one. The
// API server makes them; a user cannot.
const (
	NodeNameClaim = "authentication.kubernetes.io/node-name"
	NodeUIDClaim  = "authentication.kubernetes.io/node-uid"
)

// Guard keeps the daemon of each node to the MachineConfigNode of its node, on the API
// server: whatever code runs on a node, and whatever it has made of this library.
//
//	guard := scope.Guard{EnforceTransitions: true}
//	err := guard.WriteManifests(os.Stdout) // | kubectl apply -f -
//
// What is then in force:
//
//  1. RBAC gives the service account the verbs that the library needs, and no other.
//  2. An admission policy denies it every write of an object that is not of the node which
//     its token is bound to, and what the library never does to one that is: labels,
//     annotations, finalizers, owners that are not the Node, and deletion.
//  3. With EnforceTransitions a second policy denies it a status that a node cannot have
//     come to: see TransitionPolicy.
//  4. Requests of other users are not looked at.
//
// What is denied is answered with 403 and a message that says what would be right. The
// methods only describe objects; none of them makes a request. The zero value is usable.
type Guard struct {
	// Name names the role and the policy, and begins the other names. By default it is
	// DefaultGuardName.
	Name string
	// Namespace is that of the service account. By default it is DefaultGuardNamespace.
	Namespace string
	// ServiceAccount is what the daemon runs as. By default it is DefaultGuardServiceAccount.
	ServiceAccount string
	// EnforceTransitions adds the policy on the history of the status. By default there is
	// none: it also denies what a daemon without this library writes.
	EnforceTransitions bool
}

// Validate says, with a *GuardError, which of the names no object can have.
func (g Guard) Validate() error {
	g = g.complete()
	field, value, problem := badName(g.Name, g.transitionName()+bindingSuffix, g.Namespace, g.ServiceAccount)
	if problem != "" {
		return &GuardError{Field: field, Value: value, Problem: problem}
	}
	return nil
}

// badName says which of the names no object can have, and why; longest is the longest of
// those that are made of name.
func badName(name, longest, namespace, serviceAccount string) (field, value, problem string) {
	for _, f := range []struct {
		field, value string
		check        validation.ValidateNameFunc
		checked      string
	}{
		{"Name", name, validation.NameIsDNSSubdomain, longest},
		{"Namespace", namespace, validation.ValidateNamespaceName, namespace},
		{"ServiceAccount", serviceAccount, validation.ValidateServiceAccountName, serviceAccount},
	} {
		if problems := f.check(f.checked, false); len(problems) > 0 {
			return f.field, f.value, strings.Join(problems, "; ")
		}
	}
	return "", "", ""
}

const (
	bindingSuffix    = "-binding"
	transitionSuffix = "-transitions"
)

func (g Guard) complete() Guard {
	g.Name = cmp.Or(g.Name, DefaultGuardName)
	g.Namespace = cmp.Or(g.Namespace, DefaultGuardNamespace)
	g.ServiceAccount = cmp.Or(g.ServiceAccount, DefaultGuardServiceAccount)
	return g
}

func (g Guard) transitionName() string { return g.complete().Name + transitionSuffix }

// username is the name under which the API server knows the service account.
func (g Guard) username() string {
	g = g.complete()
	return "system:serviceaccount:" + g.Namespace + ":" + g.ServiceAccount
}
