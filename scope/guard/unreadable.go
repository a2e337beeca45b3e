package guard

import "strconv"

// Values that the CRD accepts, but that typed clients of Go cannot read:
//
//   - times: the format date-time accepts 2026-01-02t03:04:05z, for example, which time.Parse
//     rejects;
//   - numbers: before Kubernetes 1.36, the API server ignores the format int32 of a CRD. Integers
//     without that format are int64, which every API server enforces.
//
// A write is denied only if it adds such a value. If another client has already written such a
// value, the daemon must still be able to write.

const (
	deniedTimes   = `may not set a lastTransitionTime that clients cannot read, other than 2026-01-02T03:04:05Z`
	deniedNumbers = `may not set a generation above 2147483647, which clients cannot read`
)

// timePattern matches RFC 3339 times that metav1.Time can read. Fractions of a second and time
// zones are allowed. The CRD checks that the numbers are a valid date and time.
const timePattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`

// isReadable returns an expression that is true if the time of a condition can be parsed.
func isReadable(condition string) string {
	return `string(` + condition + `.lastTransitionTime).matches(` + strconv.Quote(timePattern) + `)`
}

// sameTime is true if condition b has the type and the time of condition c.
const sameTime = `b.type == c.type && b.lastTransitionTime == c.lastTransitionTime`

// unreadableTimes lists the types of the conditions whose time is unreadable and new. For a
// condition in status.internalReleaseImage.releases, it lists "internalReleaseImage".
var unreadableTimes = `variables.status.?conditions.orValue([]).filter(c, !` + isReadable("c") + ` &&
  !variables.statusBefore.?conditions.orValue([]).exists(b, ` + sameTime + `)).map(c, string(c.type)) +
variables.status.?internalReleaseImage.?releases.orValue([]).filter(r, !r.?conditions.orValue([]).all(c, ` + isReadable("c") + ` ||
  variables.statusBefore.?internalReleaseImage.?releases.orValue([]).exists(o, o.name == r.name &&
    o.?conditions.orValue([]).exists(b, ` + sameTime + `)))).map(r, "internalReleaseImage")`

// unreadableNumbers lists the names of the image sets with a generation that is unreadable and new.
const unreadableNumbers = `variables.status.?pinnedImageSets.orValue([]).filter(s,
  ["currentGeneration", "desiredGeneration", "lastFailedGeneration"].exists(f, s[?f].orValue(0) > 2147483647 &&
    !variables.statusBefore.?pinnedImageSets.orValue([]).exists(b, b.name == s.name && b[?f] == s[?f]))).map(s, string(s.name))`
