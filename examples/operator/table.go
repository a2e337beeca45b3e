package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/mcp"
)

// column is one column of oc get machineconfigpools.
type column struct {
	header string
	value  func(*mcfgv1.MachineConfigPool) string
}

var columns = []column{
	{"NAME", func(p *mcfgv1.MachineConfigPool) string { return p.Name }},
	{"CONFIG", func(p *mcfgv1.MachineConfigPool) string { return p.Status.Configuration.Name }},
	{"UPDATED", statusOf(mcfgv1.MachineConfigPoolUpdated)},
	{"UPDATING", statusOf(mcfgv1.MachineConfigPoolUpdating)},
	{"DEGRADED", statusOf(mcfgv1.MachineConfigPoolDegraded)},
	{"MACHINECOUNT", number(func(s mcfgv1.MachineConfigPoolStatus) int32 { return s.MachineCount })},
	{"READYMACHINECOUNT", number(func(s mcfgv1.MachineConfigPoolStatus) int32 { return s.ReadyMachineCount })},
	{"UPDATEDMACHINECOUNT", number(func(s mcfgv1.MachineConfigPoolStatus) int32 { return s.UpdatedMachineCount })},
	{"DEGRADEDMACHINECOUNT", number(func(s mcfgv1.MachineConfigPoolStatus) int32 { return s.DegradedMachineCount })},
}

func statusOf(name mcfgv1.MachineConfigPoolConditionType) func(*mcfgv1.MachineConfigPool) string {
	return func(p *mcfgv1.MachineConfigPool) string { return string(mcp.Condition(p, name).Status) }
}

func number(count func(mcfgv1.MachineConfigPoolStatus) int32) func(*mcfgv1.MachineConfigPool) string {
	return func(p *mcfgv1.MachineConfigPool) string { return strconv.Itoa(int(count(p.Status))) }
}

// table prints pools as oc get machineconfigpools --watch does: a header and a row for each
// pool, then a row for each change. It is the handler of an informer.
type table struct {
	out    io.Writer
	clock  clock.PassiveClock
	failed func(error) // called when a row cannot be printed

	mu     sync.Mutex // guards the fields below
	pools  map[string]*mcfgv1.MachineConfigPool
	rows   map[string][]string // as last printed; nil before Begin
	widths []int
}

func newTable(out io.Writer, clock clock.PassiveClock, failed func(error)) *table {
	return &table{out: out, clock: clock, failed: failed, pools: map[string]*mcfgv1.MachineConfigPool{}}
}

// OnAdd handles a new pool.
func (t *table) OnAdd(obj any, _ bool) { t.OnUpdate(nil, obj) }

// OnUpdate handles a changed pool. After Begin it prints it.
func (t *table) OnUpdate(_, obj any) {
	p, ok := obj.(*mcfgv1.MachineConfigPool)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pools[p.Name] = p
	if t.rows != nil {
		t.print(p)
	}
}

// OnDelete handles a deleted pool.
func (t *table) OnDelete(obj any) {
	if name, err := cache.DeletionHandlingObjectToName(obj); err == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.pools, name.Name)
		delete(t.rows, name.Name)
	}
}

// Begin prints all pools, and from then on each change.
func (t *table) Begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows, t.widths = map[string][]string{}, make([]int, len(columns))
	for _, p := range t.pools {
		t.widen(p)
	}
	for _, name := range slices.Sorted(maps.Keys(t.pools)) {
		t.print(t.pools[name])
	}
}

// widen widens the columns for a pool, at its current config and at its desired one.
func (t *table) widen(p *mcfgv1.MachineConfigPool) {
	next := *p
	next.Status.Configuration = p.Spec.Configuration
	for i, c := range columns {
		t.widths[i] = max(t.widths[i], len(c.header), len(c.value(p)), len(c.value(&next)))
	}
}

// print prints the row of a pool if it has changed, and the header before the first row.
func (t *table) print(p *mcfgv1.MachineConfigPool) {
	var header, row []string
	for _, c := range columns {
		header, row = append(header, c.header), append(row, c.value(p))
	}
	last, ok := t.rows[p.Name]
	if ok && slices.Equal(last, row) {
		return
	}
	t.widen(p)
	if len(t.rows) == 0 {
		t.write(append(header, "AGE"))
	}
	t.rows[p.Name] = row
	t.write(append(row, duration.HumanDuration(t.clock.Since(p.CreationTimestamp.Time))))
}

func (t *table) write(cells []string) {
	var line strings.Builder
	for i, width := range t.widths {
		fmt.Fprintf(&line, "%-*s", width+3, cells[i])
	}
	if _, err := fmt.Fprintln(t.out, line.String()+cells[len(cells)-1]); err != nil {
		t.failed(err)
	}
}
