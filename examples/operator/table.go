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
)

// column is one column of oc get machineconfigpools.
type column struct {
	header string
	value  func(*mcfgv1.MachineConfigPool) string
}

var columns = []column{
	{"NAME", func(p *mcfgv1.MachineConfigPool) string { return p.Name }},
	{"CONFIG", func(p *mcfgv1.MachineConfigPool) string { return p.Status.Configuration.Name }},
	{"UPDATED", status(mcfgv1.MachineConfigPoolUpdated)},
	{"UPDATING", status(mcfgv1.MachineConfigPoolUpdating)},
	{"DEGRADED", status(mcfgv1.MachineConfigPoolDegraded)},
	{"MACHINECOUNT", number(func(s mcfgv1.MachineConfigPoolStatus) int32 { return s.MachineCount })},
	{"READYMACHINECOUNT", number(func(s mcfgv1.MachineConfigPoolStatus) int32 { return s.ReadyMachineCount })},
	{"UPDATEDMACHINECOUNT", number(func(s mcfgv1.MachineConfigPoolStatus) int32 { return s.UpdatedMachineCount })},
	{"DEGRADEDMACHINECOUNT", number(func(s mcfgv1.MachineConfigPoolStatus) int32 { return s.DegradedMachineCount })},
}

// status returns what a condition says, nothing where it is missing.
func status(name mcfgv1.MachineConfigPoolConditionType) func(*mcfgv1.MachineConfigPool) string {
	return func(p *mcfgv1.MachineConfigPool) string {
		for _, c := range p.Status.Conditions {
			if c.Type == name {
				return string(c.Status)
			}
		}
		return ""
	}
}

func number(count func(mcfgv1.MachineConfigPoolStatus) int32) func(*mcfgv1.MachineConfigPool) string {
	return func(p *mcfgv1.MachineConfigPool) string { return strconv.Itoa(int(count(p.Status))) }
}

// table prints pools as oc get machineconfigpools --watch does: a header and a row for each
// pool, and then a row for each that changes. It is the handler of an informer.
type table struct {
	out    io.Writer
	clock  clock.PassiveClock
	failed func(error)   // told of a row that cannot be printed
	moved  chan struct{} // has an entry when pools have changed

	mu     sync.Mutex
	pools  map[string]*mcfgv1.MachineConfigPool
	rows   map[string][]string // as printed last; nil: none is printed yet
	widths []int
}

func newTable(out io.Writer, clock clock.PassiveClock, failed func(error)) *table {
	return &table{out: out, clock: clock, failed: failed, moved: make(chan struct{}, 1), pools: map[string]*mcfgv1.MachineConfigPool{}}
}

// OnAdd takes in a pool.
func (t *table) OnAdd(obj any, _ bool) { t.OnUpdate(nil, obj) }

// OnUpdate takes in what a pool has become, and prints it if begin was called.
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
	wake(t.moved)
}

// OnDelete forgets a pool.
func (t *table) OnDelete(obj any) {
	if name, err := cache.DeletionHandlingObjectToName(obj); err == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.pools, name.Name)
		delete(t.rows, name.Name)
	}
}

// begin prints the pools that there are, from now on also what becomes of them.
func (t *table) begin() {
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

// widen makes room for a pool, with the config that it has and the one that it is to have.
func (t *table) widen(p *mcfgv1.MachineConfigPool) {
	next := *p
	next.Status.Configuration = p.Spec.Configuration
	for i, c := range columns {
		t.widths[i] = max(t.widths[i], len(c.header), len(c.value(p)), len(c.value(&next)))
	}
}

// print prints a pool, if its row is another one than the last; before the first one, the
// header.
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

// shows reports whether the table has come to these pools as they are.
func (t *table) shows(pools []*mcfgv1.MachineConfigPool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !slices.ContainsFunc(pools, func(p *mcfgv1.MachineConfigPool) bool {
		shown, ok := t.pools[p.Name]
		return !ok || shown.ResourceVersion != p.ResourceVersion
	})
}
