package guard

import "strconv"

// An unreadable value is a value that the CRD accepts, but that the Go type MachineConfigNode cannot
// decode:
//
//   - a time: for example, the format date-time of the CRD accepts 2026-01-02t03:04:05z, but
//     time.Parse rejects this value;
//   - a number: before Kubernetes 1.36, the API server ignores the format int32 of a CRD, and
//     accepts numbers above 2147483647. Every API server checks the format int64.
//
// The policy denies a write only if the write adds an unreadable value. If another client has
// already written the value, the daemon must still be able to update the object.

const (
	deniedTimes   = `may not set a lastTransitionTime that clients cannot read (the format is 2026-01-02T03:04:05Z)`
	deniedNumbers = `may not set a generation above 2147483647, which clients cannot read`
)

// timePattern matches RFC 3339 times that metav1.Time can read. Fractions of a second and time
// zones are allowed. The CRD checks that the numbers are a valid date and time.
const timePattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?` +
	`(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`

// isReadable returns a CEL expression that is true if clients can read the time of a condition.
func isReadable(condition string) string {
	return `string(` + condition + `.lastTransitionTime).matches(` + strconv.Quote(timePattern) + `)`
}

// sameTime is a CEL expression that is true if the conditions b and c have the same type and time.
const sameTime = `b.type == c.type && b.lastTransitionTime == c.lastTransitionTime`

// unreadableTimes is a CEL expression that lists the types of conditions with a new, unreadable
// time. For each release in status.internalReleaseImage.releases with such a condition, the list
// also has "internalReleaseImage".
var unreadableTimes = `variables.status.?conditions.orValue([]).filter(c, !` + isReadable("c") + ` &&
  !variables.statusBefore.?conditions.orValue([]).exists(b, ` + sameTime + `)).map(c, string(c.type)) +
variables.status.?internalReleaseImage.?releases.orValue([]).filter(r, ` +
	`!r.?conditions.orValue([]).all(c, ` + isReadable("c") + ` ||
  variables.statusBefore.?internalReleaseImage.?releases.orValue([]).exists(o, o.name == r.name &&
    o.?conditions.orValue([]).exists(b, ` + sameTime + `)))).map(r, "internalReleaseImage")`

// unreadableNumbers is a CEL expression that lists the names of image sets with a new, unreadable
// generation.
const unreadableNumbers = `variables.status.?pinnedImageSets.orValue([]).filter(s,
  ["currentGeneration", "desiredGeneration", "lastFailedGeneration"].exists(f, s[?f].orValue(0) > 2147483647 &&
    !variables.statusBefore.?pinnedImageSets.orValue([]).exists(b, b.name == s.name && b[?f] == s[?f]))).` +
	`map(s, string(s.name))`
