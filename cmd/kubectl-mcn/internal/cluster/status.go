package cluster

import (
	"cmp"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/poolwords"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// newPool reads a MachineConfigPool. It also returns the passed nodes or, if there are no nodes, the
// degraded nodes that the pool's status names.
func newPool(p *mcfgv1.MachineConfigPool, nodes []Node, o Objects, known census) (Pool, []Node) {
	status, config := p.Status, p.Spec.Configuration.Name
	machines := len(nodes)
	if !known.isComplete(p.Name) {
		machines = max(machines, int(status.MachineCount)-len(known.moved[p.Name]))
	}
	limit, err := poolwords.MaxUnavailable(p.Spec.MaxUnavailable, machines)
	degraded := poolCondition(p, mcfgv1.MachineConfigPoolNodeDegraded)
	updated, updating := find(p, mcfgv1.MachineConfigPoolUpdated), find(p, mcfgv1.MachineConfigPoolUpdating)
	image := imageOf(config, nodes, int(status.UpdatedMachineCount), updated.Message, updating.Message)
	pool := Pool{
		Name:           p.Name,
		Known:          true,
		Target:         progress.Target{Config: config, Image: image},
		TargetSet:      mco.Latest(o.Configs[config].Created, mco.LastWrite(p.ManagedFields, mco.OfConfiguration).At),
		written:        mco.LastWrite(p.ManagedFields, mco.OfSpec).At,
		begun:          poolCondition(p, mcfgv1.MachineConfigPoolUpdating).Since,
		Paused:         p.Spec.Paused,
		MaxUnavailable: limit,
		Unavailable:    max(0, int(status.UnavailableMachineCount)),
		FromStatus:     len(nodes) == 0 && machines > 0 && !known.hasNodes,
		Partial:        known.hasNodes && machines > len(nodes),
		Moved:          known.moved[p.Name],
		DegradedSince:  degraded.Since,
		machines:       int(status.MachineCount),
		updated:        int(status.UpdatedMachineCount),
	}
	if err != nil {
		pool.InvalidLimit = p.Spec.MaxUnavailable.String()
	}
	pool.readSources(p)
	pool.notUpdated, pool.Updated = updatedOf(p)
	pool.readObserved(p)
	build, problem := buildOf(p, pool.Updated)
	pool.Build, pool.Updated = build, pool.Updated && build == nil
	pool.Certificates = certificatesOf(status.CertExpirys)
	if pool.FromStatus {
		nodes = reportedNodes(p.Name, degraded)
		machines = max(machines, len(nodes))
		pool.Stuck = max(len(nodes), min(machines, int(status.DegradedMachineCount)))
		pool.Done = max(0, min(machines-pool.Stuck, int(status.UpdatedMachineCount)))
		pool.Unreported = machines - pool.Stuck - pool.Done
	}
	addReports(nodes, degraded)
	pool.Missing = machines - len(nodes)
	pool.Problems = problemsOf(p, problem, nodes, !o.Older.IsZero())
	return pool, nodes
}

// poolCondition returns a condition of the pool, or the zero value if the condition is not True.
func poolCondition(p *mcfgv1.MachineConfigPool, t mcfgv1.MachineConfigPoolConditionType) PoolCondition {
	if c := find(p, t); c.Status == corev1.ConditionTrue {
		return PoolCondition{Type: string(t), Message: mco.Plain(c.Message), Since: c.LastTransitionTime.UTC()}
	}
	return PoolCondition{}
}

func find(p *mcfgv1.MachineConfigPool, t mcfgv1.MachineConfigPoolConditionType) mcfgv1.MachineConfigPoolCondition {
	for _, c := range p.Status.Conditions {
		if c.Type == t {
			return c
		}
	}
	return mcfgv1.MachineConfigPoolCondition{}
}

// updatedOf reports whether the pool's condition Updated is True for the pool's present target. If
// isUpdated is false, why has the reason.
func updatedOf(p *mcfgv1.MachineConfigPool) (why PoolCondition, isUpdated bool) {
	updated, updating := find(p, mcfgv1.MachineConfigPoolUpdated), find(p, mcfgv1.MachineConfigPoolUpdating)
	why = PoolCondition{Type: "NotUpdated", Since: updated.LastTransitionTime.UTC(), Message: cmp.Or(updated.Message, updating.Message)}
	switch {
	case updated.Status == "":
		why.Message = "the status of the pool has no condition Updated"
	case updated.Status != corev1.ConditionTrue:
	case isBehind(p):
		why.Since, why.Message = time.Time{}, "the controller has not yet read the last change of the pool"
	case p.Status.Configuration.Name != p.Spec.Configuration.Name:
		why.Since, why.Message = time.Time{}, "the status of the pool still has "+cmp.Or(p.Status.Configuration.Name, "no config")
	default:
		return PoolCondition{}, true
	}
	return why, false
}

// readObserved sets Observed, and toObserve if the controller has not looked at the pool's present target. Or it has, but
// has not read a later change, for example of paused.
func (p *Pool) readObserved(o *mcfgv1.MachineConfigPool) {
	updated, updating := find(o, mcfgv1.MachineConfigPoolUpdated), find(o, mcfgv1.MachineConfigPoolUpdating)
	isOfLast := updated.Status == corev1.ConditionTrue && o.Status.Configuration.Name != p.Target.Config
	switch {
	case updated.Status == "": // the pool is new
		p.toObserve = cmp.Or(p.TargetSet, o.CreationTimestamp.UTC())
	case isOfLast, mco.IsOfOther(p.Target.Config, updated.Message, updating.Message):
		p.toObserve = p.TargetSet
	case isBehind(o):
		p.toObserve = p.written
	default:
		p.Observed = true
	}
}

// isBehind reports whether the controller has not read the last change of the pool. A dump may lack the generations.
func isBehind(p *mcfgv1.MachineConfigPool) bool {
	return p.Status.ObservedGeneration != 0 && p.Status.ObservedGeneration < p.Generation
}

// problemsOf returns the conditions of a pool that report a failure, and the failure of a build. It
// omits a condition if another condition of the pool or of a node explains the failure better. The nodes decide alone
// whether they are degraded, if the pool is older.
func problemsOf(p *mcfgv1.MachineConfigPool, build PoolCondition, nodes []Node, isOlder bool) []PoolCondition {
	is := func(t mcfgv1.MachineConfigPoolConditionType) PoolCondition { return poolCondition(p, t) }
	isDegraded := isOlder || slices.ContainsFunc(nodes, func(n Node) bool { return n.Degraded })
	isPulling := slices.ContainsFunc(nodes, Node.isPulling)
	all := []PoolCondition{
		is(mcfgv1.MachineConfigPoolRenderDegraded),
		cmp.Or(is(mcfgv1.MachineConfigPoolImageBuildDegraded), build),
	}
	if !isPulling {
		all = append(all, cmp.Or(is(mcfgv1.MachineConfigPoolPinnedImageSetsDegraded), is(mcfgv1.MachineConfigPoolSynchronizerDegraded)))
	}
	if !isDegraded {
		all = append(all, is(mcfgv1.MachineConfigPoolNodeDegraded))
	}
	all = slices.DeleteFunc(all, func(c PoolCondition) bool { return c.Type == "" })
	if c := is(mcfgv1.MachineConfigPoolDegraded); c.Type != "" && len(all) == 0 && !isPulling && !isDegraded {
		all = append(all, c)
	}
	return all
}

// buildTypes maps the state of an image build to a type of Pool.Build or, for a failed or
// interrupted build, of Pool.Problems.
var buildTypes = map[mcfgv1.BuildProgress]mcfgv1.MachineConfigPoolConditionType{
	poolwords.None:                   mcfgv1.MachineConfigPoolBuildPending,
	poolwords.Initial:                mcfgv1.MachineConfigPoolBuildPending,
	mcfgv1.MachineOSBuildPrepared:    mcfgv1.MachineConfigPoolBuildPending,
	mcfgv1.MachineOSBuilding:         mcfgv1.MachineConfigPoolBuilding,
	mcfgv1.MachineOSBuildSucceeded:   BuildSucceeded,
	mcfgv1.MachineOSBuildFailed:      mcfgv1.MachineConfigPoolBuildFailed,
	mcfgv1.MachineOSBuildInterrupted: mcfgv1.MachineConfigPoolBuildInterrupted,
}

// BuildSucceeded is the type of Pool.Build while nodes have to apply the image.
const BuildSucceeded = "BuildSucceeded"

// buildOf returns the value of Pool.Build, or the failure of the build. Once the pool is Updated, the message about its
// last build no longer matters. But up to OpenShift 4.20, a pool is Updated while its next image is built.
func buildOf(p *mcfgv1.MachineConfigPool, isUpdated bool) (build *PoolCondition, failure PoolCondition) {
	updating := find(p, mcfgv1.MachineConfigPoolUpdating)
	row, _, isBuild := poolwords.ReadBuild(updating.Message)
	isNext := updating.Status == corev1.ConditionTrue && row.State != mcfgv1.MachineOSBuildSucceeded
	if !isBuild || isUpdated && !isNext {
		return nil, PoolCondition{}
	}
	c := PoolCondition{Type: string(buildTypes[row.State]), Since: updating.LastTransitionTime.UTC(), Message: updating.Message}
	if row.State == mcfgv1.MachineOSBuildFailed || row.State == mcfgv1.MachineOSBuildInterrupted {
		return nil, c
	}
	return &c, PoolCondition{}
}

// certificatesOf returns the certificates of a pool, sorted by Expires.
func certificatesOf(list []mcfgv1.CertExpiry) []Certificate {
	var all []Certificate
	for _, c := range list {
		if c.Expiry != nil {
			all = append(all, Certificate{Subject: cmp.Or(c.Subject, c.Bundle), Expires: c.Expiry.UTC()})
		}
	}
	slices.SortStableFunc(all, func(a, b Certificate) int {
		return cmp.Or(a.Expires.Compare(b.Expires), cmp.Compare(a.Subject, b.Subject))
	})
	return all
}

// addReports sets the message of each degraded node without a message. The message is the report
// about the node in the pool's condition NodeDegraded.
func addReports(nodes []Node, degraded PoolCondition) {
	for _, r := range poolwords.ReadReports(degraded.Message) {
		i := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == r.Node })
		if i >= 0 && nodes[i].Degraded && nodes[i].Message == "" {
			nodes[i].Message = mco.Plain(r.Message)
		}
	}
}

// reportedNodes returns the nodes that the message of a pool's condition NodeDegraded names, without their messages.
func reportedNodes(pool string, degraded PoolCondition) []Node {
	var nodes []Node
	for _, r := range poolwords.ReadReports(degraded.Message) {
		if !slices.ContainsFunc(nodes, func(n Node) bool { return n.Name == r.Node }) {
			n := progress.Node{Name: r.Node, Pool: pool, Degraded: true}
			nodes = append(nodes, Node{Node: mco.Node{Node: n, DegradedSince: degraded.Since}})
		}
	}
	return nodes
}
