package planner_test

import (
	"slices"
	"strings"
)

// world says what can happen on a path of TestEveryPath.
type world struct {
	name    string
	starts  []command
	reports []command // and other calls of the process
	often   int       // the first reports, up to this number, are also tried in sequences of three
	events  []event   // that happen to a request
	pauses  []event   // that happen between two reports
	outage  bool      // no request is made before the last report
}

// event has the commands of an event.
type event []command

// changesEnd reports whether the event may change the final object, because another client writes, the process loses its
// reports, or the API server rejects a report.
func (e event) changesEnd() bool {
	return slices.ContainsFunc(e, func(c command) bool {
		return strings.HasPrefix(c.text, "other") || c.text == "restart" || c.text == "reject"
	})
}

func commands(lines ...string) (list []command) {
	for _, line := range lines {
		if line == repeat.text {
			list = append(list, repeat)
		} else {
			list = append(list, mustParse(line))
		}
	}
	return list
}

// Calls of a daemon.
const (
	starts      = "report Updated=False current=a desired=b"
	startsAgain = "report Updated=False current=a desired=c"
	prepared    = "report UpdatePrepared=True current=a desired=c"
	drains      = "report Drained=Unknown current=a desired=b"
	applied     = "report AppliedFilesAndOS=True completes current=a desired=b"
	resumed     = "report Resumed=True current=b desired=b"
	updated     = "report Updated=True current=b desired=b"
)

// Events of a request.
var (
	done                 = event(commands("respond"))
	lostResponse         = event(commands("send", "lose"))
	lost                 = event(commands("lose"))
	denied               = event(commands("deny"))
	rejected             = event(commands("reject"))
	othersReport         = event(commands("other report NodeDegraded=False", "respond"))
	othersAdd            = event(commands("other add", "respond"))
	othersEnd            = event(commands("other end b", "respond"))
	othersDesire         = event(commands("other desire c", "respond"))
	othersDelete         = event(commands("other delete", "respond"))
	restarts             = event(commands("restart"))
	listedMeanwhile      = event(commands("send", "lister shows", "lister shows 1", "respond"))
	rejectedThenRepeated = event(commands("reject", "repeat"))
	repeated             = event(commands("repeat", "respond"))
)

// Events between two reports.
var (
	listed    = event(commands("other report NodeDegraded=False", "lister shows"))
	listedEnd = event(commands("other end b", "lister shows"))
	listedOld = event(commands("lister shows 1"))
	unlisted  = event(commands("lister shows", "lister empty"))
	deleted   = event(commands("lister shows", "other delete", "lister empty"))
	recreated = event(commands("lister shows", "other delete", "other create", "lister shows"))
)

var worlds = []world{
	{
		name:    "updates",
		starts:  commands("object missing", "object bare", "object between-updates"),
		reports: commands(starts, updated, drains, prepared, "spec current=a desired=c", startsAgain, applied, resumed),
		often:   4,
		events:  []event{done, lostResponse, lost, denied, rejected, othersReport, othersAdd, othersEnd, othersDelete, restarts},
		pauses:  []event{restarts},
	},
	{
		name:   "other changes",
		starts: commands("object missing", "object bare", "object between-updates"),
		reports: commands(starts, updated, drains,
			"report Drained not required current=a desired=b",
			"image-sets set@2=failed current=a desired=b",
			"image-sets set@1=done current=a desired=b",
			"flush current=b desired=b",
			"report Updated=True current=a desired=a", // the target b is withdrawn
		),
		events: []event{done, lostResponse, lost, denied, rejected, othersReport, othersEnd, othersDesire, othersDelete, restarts, listedMeanwhile, repeated},
		pauses: []event{restarts},
	},
	{
		name:    "a Lister",
		starts:  commands("object missing", "object between-updates"),
		reports: commands(starts, drains, updated, "spec current=a desired=c"),
		events:  []event{done, lostResponse, denied, othersReport, othersEnd, othersDelete, listedMeanwhile, repeated},
		pauses:  []event{listed, listedEnd, listedOld, unlisted, deleted, recreated},
	},
	{
		name:    "an outage",
		starts:  commands("object between-updates"),
		reports: commands(starts, drains, "report Drained=False current=a desired=b", updated, "spec current=a desired=b"),
		often:   2,
		events:  []event{done, lostResponse, lost, denied, rejected, othersEnd, repeated, rejectedThenRepeated},
		pauses:  []event{listedEnd},
		outage:  true,
	},
}
