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

// seconds returns a CEL expression for the time of a condition, in seconds. The function timestamp fails for the year
// 0, and for a time that is not in the years 1 to 9999 in UTC. So the year is replaced by an equal one of the years
// 2000 to 2399: the calendar repeats after 400 years.
func seconds(condition string) string {
	year := `int(string(` + condition + `.lastTransitionTime).substring(0, 4))`
	return `int(timestamp(string(2000 + ` + year + ` % 400) + string(` + condition + `.lastTransitionTime).substring(4))) + ` +
		year + ` / 400 * ` + strconv.Itoa(in400Years)
}

const (
	in400Years = 146097 * 24 * 60 * 60
	firstTime  = 946684800                     // 0000-01-01T00:00:00Z
	lastTime   = firstTime + 25*in400Years - 1 // 9999-12-31T23:59:59Z
)

// writable returns a CEL expression for the nearest time that a client can write: RFC 3339 has the years 0 to 9999. The
// CRD accepts other times in other zones, for example 0000-01-01T00:00:00+01:00. A client has to replace them, or it
// could not write the object again.
func writable(seconds string) string {
	first, last := strconv.Itoa(firstTime), strconv.Itoa(lastTime)
	return seconds + ` < ` + first + ` ? ` + first + ` : ` + seconds + ` > ` + last + ` ? ` + last + ` : ` + seconds
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
