package scope

import (
	"regexp"
	"strings"
)

// Parts of the messages of Policy. The policy mcn-guards of machine-config-operator has the
// same messages, and its tests look for them.
const (
	missingNodeNameClaim = `this user must have a "` + NodeNameClaim + `" claim`
	updatesTo            = "updates to MCN "
	onlyFromOwnerNode    = " can only be done from the MCN's owner node"
)

// Denial is the denial of a request by a ValidatingAdmissionPolicy: that of a Guard, the policy
// mcn-guards of machine-config-operator, or any other.
type Denial struct {
	// Policy is the name of the policy.
	Policy string
	// MissingClaim is the claim that the user of the request lacks: NodeNameClaim, or "" if that
	// is not the reason.
	MissingClaim string
	// OwnerNode is the node whose daemon may write the object, if the request came from
	// another one, else "".
	OwnerNode string
}

var (
	deniedRegexp    = regexp.MustCompile(`ValidatingAdmissionPolicy '([^']*)'`)
	ownerNodeRegexp = regexp.MustCompile(regexp.QuoteMeta(updatesTo) + `(\S+)` + regexp.QuoteMeta(onlyFromOwnerNode))
)

// ParseDenial reads the error with which the API server answers a request that an admission
// policy denies. It returns false for any other error, a denial by RBAC for example.
func ParseDenial(err error) (Denial, bool) {
	if err == nil {
		return Denial{}, false
	}
	message := err.Error()
	policy := deniedRegexp.FindStringSubmatch(message)
	if policy == nil {
		return Denial{}, false
	}
	denial := Denial{Policy: policy[1]}
	if strings.Contains(message, missingNodeNameClaim) {
		denial.MissingClaim = NodeNameClaim
	}
	if owner := ownerNodeRegexp.FindStringSubmatch(message); owner != nil {
		denial.OwnerNode = owner[1]
	}
	return denial, true
}
