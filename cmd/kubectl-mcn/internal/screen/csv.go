package screen

import (
	"strconv"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Records returns the bars of a timeline as the records of a CSV file, the titles first. The end
// of a step that has not finished is empty.
func Records(pools []progress.Pool, spans []progress.Span, o TimelineOptions) [][]string {
	records := [][]string{{"pool", "node", "step", "from", "to", "seconds"}}
	for _, c := range charts(pools, spans, o) {
		for _, r := range c.rows {
			for _, b := range r.bars {
				to := b.to.UTC().Format(time.RFC3339)
				if b.running {
					to = ""
				}
				records = append(records, []string{
					clean(c.pool.Name), clean(r.node.Name), string(b.phase), b.from.UTC().Format(time.RFC3339), to,
					strconv.Itoa(int(b.to.Sub(b.from).Seconds())),
				})
			}
		}
	}
	return records
}
