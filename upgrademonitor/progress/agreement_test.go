package progress_test

import (
	"fmt"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/internal/mcntest"
	"github.com/openshift/upgrademonitor/internal/poolwords"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// builds are the states of a build. "" means that there is none.
var builds = []mcfgv1.BuildProgress{"", poolwords.Initial, mcfgv1.MachineOSBuildPrepared, mcfgv1.MachineOSBuilding, mcfgv1.MachineOSBuildSucceeded,
	mcfgv1.MachineOSBuildFailed, mcfgv1.MachineOSBuildInterrupted}

// options decodes a pool that is not layered, or that is, with a build in any state.
func optionsOf(t *mcntest.Tape) pool.Options {
	if t.Pick(3) == 0 {
		return pool.Options{}
	}
	mosc := &mcfgv1.MachineOSConfig{ObjectMeta: metav1.ObjectMeta{Name: "mosc"}}
	mosc.Status.CurrentImagePullSpec = mcntest.OneOf[mcfgv1.ImageDigestFormat](t, "x", "x", "x", "y", "")
	state := mcntest.OneOf(t, builds...)
	if state == "" {
		return pool.Options{MachineOSConfig: mosc}
	}
	mosb := &mcfgv1.MachineOSBuild{ObjectMeta: metav1.ObjectMeta{Name: "mosb"}}
	mosb.Spec.MachineConfig.Name = mcntest.OneOf(t, configB, configB, configB, configA)
	mosb.Status.DigestedImagePushSpec = mcntest.OneOf[mcfgv1.ImageDigestFormat](t, "x", "")
	mosb.Status.Conditions = []metav1.Condition{{Type: string(state), Status: yes}}
	return pool.Options{MachineOSConfig: mosc, MachineOSBuild: mosb}
}

// FuzzAgreement: the status of a pool and the states of its nodes agree, for random clusters. A reader
// that has only the conditions of the pool and the states of the nodes never takes a pool for done
// whose Updated is False.
func FuzzAgreement(f *testing.F) {
	mcntest.Seeds(f, 500)
	f.Fuzz(func(t *testing.T, data []byte, _ uint64) {
		in := mcntest.Tape(data)
		p := &mcfgv1.MachineConfigPool{}
		p.Spec.Configuration.Name = mcntest.OneOf(&in, configB, configB, configB, configA, "")
		p.Spec.Paused = in.Pick(3) == 1
		if in.Pick(6) == 1 {
			p.Status.Conditions = []mcfgv1.MachineConfigPoolCondition{{Type: mcfgv1.MachineConfigPoolRenderDegraded, Status: corev1.ConditionTrue}}
		}
		options := optionsOf(&in)
		isCalm := in.Pick(2) == 1 // all nodes are done
		var nodes []*corev1.Node
		var mcns []*mcfgv1.MachineConfigNode
		for size := in.Pick(8); len(in) > 0 && len(nodes) <= size; {
			name := fmt.Sprint("worker-", len(nodes))
			node, m := in.Node(name), in.Object()
			if isCalm {
				node, m = newNode("desiredConfig", configB, "currentConfig", configB, "state", "Done"), mcn(is(phases.Updated, yes, 5))
				if options.MachineOSConfig != nil && in.Pick(8) > 0 {
					node.Annotations[annotation+"desiredImage"], node.Annotations[annotation+"currentImage"] = "x", "x"
				}
			}
			node.Name, m.Name = name, name
			ownedBy(mcntest.OneOf[types.UID](&in, "uid-0", "uid-0", "uid-0", "uid-0", "uid-0", "uid-0", "uid-1"))(m)
			nodes = append(nodes, node)
			if in.Pick(16) != 1 {
				mcns = append(mcns, m)
			}
		}
		requireAgreement(t, p, nodes, mcns, options)
	})
}

// hasBuild reports whether there is a build for a config.
func hasBuild(mosb *mcfgv1.MachineOSBuild, config string) bool {
	return mosb != nil && mosb.Spec.MachineConfig.Name == config
}

// requireAgreement compares the counts of a status with the states of the nodes, and its words with
// its conditions.
func requireAgreement(t *testing.T, p *mcfgv1.MachineConfigPool, nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode, options pool.Options) {
	t.Helper()
	status := pool.Status(p, nodes, mcns, options, metav1.Now())
	config, image := p.Spec.Configuration.Name, ""
	if options.MachineOSConfig != nil {
		image = string(options.MachineOSConfig.Status.CurrentImagePullSpec)
	}
	isLayered := options.MachineOSConfig != nil
	hasImage := !isLayered || image != "" && hasBuild(options.MachineOSBuild, config)
	var updated, ready, unavailable, degraded, updating, isDone int32
	reports := 0
	count := func(total *int32, counts bool) {
		if counts {
			*total++
		}
	}
	for _, node := range nodes {
		var object *mcfgv1.MachineConfigNode
		for _, m := range mcns {
			if m.Name == node.Name {
				object = m
			}
		}
		n := progress.Of(node, object)
		isUpToDate := n.Reported && !n.InUpdate() && !n.Degraded && n.Current.Config == config && config != "" && !n.Is(progress.AnnotationsMissing)
		count(&updated, isUpToDate && hasImage && n.Current.Image == image)
		count(&ready, isUpToDate && hasImage && n.Current.Image == image && n.IsAvailable())
		count(&isDone, isUpToDate && n.IsAvailable())
		count(&unavailable, !n.IsAvailable())
		count(&degraded, n.Degraded)
		count(&updating, n.InUpdate())
		if n.Degraded {
			reports += max(1, len(n.Errors))
		}
	}
	require.Equal(t, []int32{int32(len(nodes)), updated, ready, unavailable, degraded},
		[]int32{status.MachineCount, status.UpdatedMachineCount, status.ReadyMachineCount, status.UnavailableMachineCount, status.DegradedMachineCount})

	of := map[mcfgv1.MachineConfigPoolConditionType]mcfgv1.MachineConfigPoolCondition{}
	for _, c := range status.Conditions {
		of[c.Type] = c
	}
	isUpdated, isUpdating := of[mcfgv1.MachineConfigPoolUpdated], of[mcfgv1.MachineConfigPoolUpdating]
	require.Len(t, poolwords.ReadReports(of[mcfgv1.MachineConfigPoolNodeDegraded].Message), reports, "each report is read back")
	_, _, isBuild := poolwords.ReadBuild(isUpdating.Message)
	require.Equal(t, isBuild, strings.Contains(isUpdating.Message, " (mos"), "all words about builds are recognized: %s", isUpdating.Message)
	waits := isBuild || isUpdating.Message == poolwords.Degraded || isUpdated.Message == poolwords.NoTarget ||
		strings.HasPrefix(isUpdating.Message, poolwords.AllUpdating) || strings.HasPrefix(isUpdating.Message, poolwords.WillNot)
	readsAsDone := isDone == int32(len(nodes)) && !waits
	require.Equal(t, isUpdated.Status == corev1.ConditionTrue, strings.HasPrefix(isUpdated.Message, poolwords.AllUpdated))
	if readsAsDone {
		require.Equal(t, corev1.ConditionTrue, isUpdated.Status, "a reader would take it for done: %s, %s", isUpdated.Message, isUpdating.Message)
	}
	if isUpdated.Status == corev1.ConditionTrue {
		require.Equal(t, int32(len(nodes)), isDone)
		require.Equal(t, corev1.ConditionFalse, isUpdating.Status)
	}
	if updating > 0 && !isLayered {
		require.Equal(t, corev1.ConditionTrue, isUpdating.Status)
	}
}
