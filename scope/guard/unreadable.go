package guard

import "strconv"

// What the CRD lets pass, and the typed clients of Go cannot read:
//
//   - times: the format date-time accepts 2026-01-02t03:04:05z and others that time.Parse does not;
//   - numbers: before Kubernetes 1.36 an API server ignores the format int32 of a CRD. The other
//     integers of the type are int64, to which the API server limits every number.
//
// Only what a write brings in is denied: with a value that others have written, a daemon could never
// write again.

const (
	deniedTimes   = `may not set a lastTransitionTime that clients cannot read, other than 2026-01-02T03:04:05Z`
	deniedNumbers = `may not set a generation above 2147483647, which clients cannot read`
)

// timePattern is RFC 3339 as metav1.Time writes and reads it, with fractions and zones of other
// writers. That the numbers are a date and a time of the day is checked by the CRD.
const timePattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`

// isReadable returns an expression that is true where the time of a condition can be parsed.
func isReadable(condition string) string {
	return `string(` + condition + `.lastTransitionTime).matches(` + strconv.Quote(timePattern) + `)`
}

// sameTime is true where condition b has the type and the time of condition c.
const sameTime = `b.type == c.type && b.lastTransitionTime == c.lastTransitionTime`

// unreadableTimes are the types of the conditions with such a time, and "internalReleaseImage" for those
// of its releases.
var unreadableTimes = `variables.status.?conditions.orValue([]).filter(c, !` + isReadable("c") + ` &&
  !variables.statusBefore.?conditions.orValue([]).exists(b, ` + sameTime + `)).map(c, string(c.type)) +
variables.status.?internalReleaseImage.?releases.orValue([]).filter(r, !r.?conditions.orValue([]).all(c, ` + isReadable("c") + ` ||
  variables.statusBefore.?internalReleaseImage.?releases.orValue([]).exists(o, o.name == r.name &&
    o.?conditions.orValue([]).exists(b, ` + sameTime + `)))).map(r, "internalReleaseImage")`

// unreadableNumbers are the names of the image sets with such a generation.
const unreadableNumbers = `variables.status.?pinnedImageSets.orValue([]).filter(s,
  ["currentGeneration", "desiredGeneration", "lastFailedGeneration"].exists(f, s[?f].orValue(0) > 2147483647 &&
    !variables.statusBefore.?pinnedImageSets.orValue([]).exists(b, b.name == s.name && b[?f] == s[?f]))).map(s, string(s.name))`
