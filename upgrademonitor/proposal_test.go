package upgrademonitor_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// The files in testdata/proposal are the outputs of oc in the enhancement proposal of MachineConfigNodes
// (openshift/enhancements, machine-config-node). The test makes the reports of each output, at its times, and
// compares each field. What differs on purpose is listed in differences.

// difference is a field that this library writes in another way than the proposal shows.
type difference struct {
	file, field, value, why string
}

const (
	generation  = "the generation that was read: a tool must not believe that a later spec was seen"
	namesConfig = "the prefix names the config of the update, also of the first one"
	ofTheChild  = "a parent has the message of its child"
	sinceStart  = "the time changes only with the status: UpdateExecuted has run since the first of its children"
	mcoText     = "the text that machine-config-operator writes has a period at its end"
)

var differences = []difference{
	{"booted.txt", "Status/Observed Generation", "1", generation},
	{"booted.txt", "UpdateComplete/Message", "Action during update to rendered-worker-e484b6e623b09767d5d8245e01a90a41: UnCordoned node. The node is reporting Unschedulable = false", ofTheChild},
	{"degraded.txt", "Status/Observed Generation", "2", generation},
	{"degraded.txt", "UpdateExecuted/Message", "Applying files and new OS config to node. OS will not need an update. SSH Keys will not need an update", ofTheChild},
	{"degraded.txt", "UpdateComplete/Message", "Action during update to rendered-master-78c005824ab643a5e2ac917f028b570f: UnCordoned node. The node is reporting Unschedulable = false", ofTheChild},
	{"degraded.txt", "Uncordoned/Message", "Action during update to rendered-master-78c005824ab643a5e2ac917f028b570f: UnCordoned node. The node is reporting Unschedulable = false", namesConfig},
	{"degraded.txt", "Resumed/Message", "Action during update to rendered-master-78c005824ab643a5e2ac917f028b570f: In desired config . Resumed normal operations.", namesConfig},
	{"degraded.txt", "UpdateExecuted/Last Transition Time", "2025-05-22T14:17:58Z", sinceStart},
	{"pinned-failed.txt", "PinnedImageSetsDegraded/Message", "One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details.", mcoText},
}

// notOurs are the fields that the API server sets, and the fields that are empty.
var notOurs = []string{"Name", "Namespace", "Labels", "Annotations", "API Version", "Kind", "Metadata/Creation Timestamp", "Metadata/Generation",
	"Metadata/Resource Version", "Metadata/UID", "Events"}

func TestTheOutputsOfTheProposal(t *testing.T) {
	const e48, c78, bed7 = "rendered-worker-e484b6e623b09767d5d8245e01a90a41", "rendered-master-78c005824ab643a5e2ac917f028b570f", "rendered-master-7de7db7349148346f2cfd55ca51582cc"
	booted := newProposalNode(t, "ip-10-0-1-147.ec2.internal", "1a01a163-ca89-4007-99cf-87012214c953", "worker")
	booted.boots(e48, "12:37:28", "12:38:20")
	booted.compare("booted.txt")
	booted.compare("never-cordoned.txt")

	degraded := newProposalNode(t, "ip-10-0-20-154.ec2.internal", "a8f61760-2e07-4358-bd8c-c48e716f60a7", "master")
	degraded.boots(c78, "12:32:20", "12:33:26")
	degraded.runs(c78, bed7)
	degraded.reports("14:17:53", phases.Updated, metav1.ConditionFalse, "Node ip-10-0-20-154.ec2.internal needs an update")
	degraded.reports("14:17:53", phases.UpdatePrepared, metav1.ConditionTrue, "Update Compatible. Post Cfg Actions: [] Drain Required: true")
	degraded.reports("14:17:58", phases.Cordoned, metav1.ConditionTrue, "Cordoned node. The node is reporting Unschedulable = true")
	degraded.reports("14:17:58", phases.Drained, metav1.ConditionUnknown, "Draining node")
	degraded.reports("14:20:30", phases.Drained, metav1.ConditionTrue, "Drained node. The drain is complete as the desired drainer matches current drainer: drain-"+bed7)
	degraded.reports("14:20:33", phases.AppliedFilesAndOS, metav1.ConditionUnknown, "Applying files and new OS config to node. OS will not need an update. SSH Keys will not need an update")
	degraded.clock.SetTime(at("14:20:35"))
	degraded.ReportDegraded(t.Context(), errors.New("rename /home/.core1131580553 /home/core: file exists"))
	degraded.compare("degraded.txt")

	const infra = "rendered-infra-2033ce351dd3773bd2ebe9cab550b825"
	cordoned := newProposalNode(t, "infra", "1", "infra")
	cordoned.boots("rendered-infra-old", "12:37:28", "12:38:20")
	cordoned.runs("rendered-infra-old", infra)
	cordoned.reports("14:30:00", phases.Updated, metav1.ConditionFalse, "Node infra needs an update")
	cordoned.reports("14:30:00", phases.Cordoned, metav1.ConditionTrue, "Cordoned node. The node is reporting Unschedulable = true")
	cordoned.runs(infra, infra)
	cordoned.reports("14:32:12", phases.Updated, metav1.ConditionTrue, "Node infra Updated")
	cordoned.compare("cordoned-before.txt")

	pinned := newProposalNode(t, "ip-10-0-79-1.ec2.internal", "1", "worker")
	pinned.boots(e48, "12:37:28", "12:38:20")
	pinned.clock.SetTime(at("15:13:39"))
	failed := errors.New(`failed to execute podman manifest inspect for "quay.io/rh-ee-ijanssen/machine-config-operator@sha256:65d3a308767b1773b6e3ead2ec1bcae499dde6ef085753d7e20e685f78841079": exit status 125`)
	pinned.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "test-pinned", Generation: 2, Err: failed}}, nil)
	pinned.compare("pinned-failed.txt")
	pinned.clock.SetTime(at("15:16:51"))
	pinned.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "test-pinned", Generation: 3, Done: true}}, nil)
	pinned.compare("pinned-done.txt")
}

// proposalNode is a node of the proposal, and its daemon.
type proposalNode struct {
	*upgrademonitor.Monitor
	t      *testing.T
	client *fake.Clientset
	clock  *clocktesting.FakePassiveClock
	node   *corev1.Node
}

func newProposalNode(t *testing.T, name, uid, pool string) *proposalNode {
	t.Helper()
	n := &proposalNode{t: t, client: upgrademonitortest.NewClientset(t), clock: clocktesting.NewFakePassiveClock(at("12:00:00"))}
	n.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(uid)}}
	var err error
	n.Monitor, err = upgrademonitor.New(t.Context(), upgrademonitor.Config{
		Client: n.client, NodeName: name, Clock: n.clock,
		Node:      func() (*corev1.Node, error) { return n.node, nil },
		Pool:      func(*corev1.Node) (string, error) { return pool, nil },
		ImageMode: func() bool { return false },
	})
	require.NoError(t, err)
	return n
}

// at is a time of the day of the proposal.
func at(clock string) time.Time {
	parsed, err := time.Parse(time.RFC3339, "2025-05-22T"+clock+"Z")
	if err != nil {
		panic(err)
	}
	return parsed
}

func (n *proposalNode) runs(current, desired string) {
	n.node = n.node.DeepCopy()
	n.node.Annotations = map[string]string{nodemeta.CurrentConfig: current, nodemeta.DesiredConfig: desired}
}

func (n *proposalNode) reports(clock string, p phases.Phase, status metav1.ConditionStatus, message string, opts ...upgrademonitor.Option) {
	n.clock.SetTime(at(clock))
	n.Report(n.t.Context(), p, message, status, opts...)
}

// boots makes the reports of the first boot: the pinned image sets when the daemon starts, then the rest.
func (n *proposalNode) boots(config, starts, ends string) {
	n.runs(config, config)
	n.clock.SetTime(at(starts))
	n.ReportPinnedImageSets(n.t.Context(), nil, nil)
	n.reports(ends, phases.Resumed, metav1.ConditionTrue, "In desired config . Resumed normal operations.")
	n.reports(ends, phases.Uncordoned, metav1.ConditionTrue, "UnCordoned node. The node is reporting Unschedulable = false",
		upgrademonitor.CompletesParent())
	n.reports(ends, phases.Updated, metav1.ConditionTrue, "Node "+n.node.Name+" Updated")
	n.ReportDegraded(n.t.Context(), nil)
}

func (n *proposalNode) object() *mcfgv1.MachineConfigNode {
	n.t.Helper()
	require.NoError(n.t, n.Flush(n.t.Context()))
	object, err := n.client.MachineconfigurationV1().MachineConfigNodes().Get(n.t.Context(), n.node.Name, metav1.GetOptions{})
	require.NoError(n.t, err)
	return object
}

// compare compares the object with a file, field by field.
func (n *proposalNode) compare(file string) {
	n.t.Helper()
	ours, theirs := described(n.object()), readDescribed(n.t, file)
	for _, field := range notOurs {
		delete(theirs, field)
	}
	require.NotEmpty(n.t, theirs, file)
	for _, d := range differences {
		if d.file == file {
			assert.NotEqual(n.t, d.value, theirs[d.field], "%s %s: no difference (%s)", d.file, d.field, d.why)
			theirs[d.field] = d.value
		}
	}
	for field, value := range theirs {
		assert.Equal(n.t, value, ours[field], "%s: %s", file, field)
		delete(ours, field)
	}
	if _, isWhole := theirs["Spec/Pool/Name"]; isWhole {
		assert.Empty(n.t, ours, "%s does not have these fields", file)
	}
}

// described returns the fields of an object under the names that oc describe prints. The fields of a condition
// have the name of its type.
func described(o *mcfgv1.MachineConfigNode) map[string]string {
	fields := map[string]string{
		"Spec/Config Version/Desired": o.Spec.ConfigVersion.Desired, "Spec/Node/Name": o.Spec.Node.Name, "Spec/Pool/Name": o.Spec.Pool.Name,
		"Status/Config Version/Current": o.Status.ConfigVersion.Current, "Status/Config Version/Desired": o.Status.ConfigVersion.Desired,
		"Status/Observed Generation": strconv.FormatInt(o.Status.ObservedGeneration, 10),
	}
	for _, owner := range o.OwnerReferences {
		fields["Metadata/Owner References/API Version"], fields["Metadata/Owner References/Kind"] = owner.APIVersion, owner.Kind
		fields["Metadata/Owner References/Name"], fields["Metadata/Owner References/UID"] = owner.Name, string(owner.UID)
	}
	for _, c := range o.Status.Conditions {
		fields[c.Type+"/Last Transition Time"] = c.LastTransitionTime.UTC().Format(time.RFC3339)
		fields[c.Type+"/Message"], fields[c.Type+"/Reason"], fields[c.Type+"/Status"] = c.Message, c.Reason, string(c.Status)
	}
	for _, set := range o.Status.PinnedImageSets {
		name := "Status/Pinned Image Sets/"
		fields[name+"Name"], fields[name+"Desired Generation"] = set.Name, fmt.Sprint(set.DesiredGeneration)
		if set.CurrentGeneration > 0 {
			fields[name+"Current Generation"] = fmt.Sprint(set.CurrentGeneration)
		}
		if set.LastFailedGeneration > 0 {
			fields[name+"Last Failed Generation"], fields[name+"Last Failed Generation Error"] = fmt.Sprint(set.LastFailedGeneration), set.LastFailedGenerationError
		}
	}
	return fields
}

// readDescribed reads an output of oc describe, or a part of one.
func readDescribed(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/proposal/" + file)
	require.NoError(t, err)
	fields, condition := map[string]string{}, map[string]string{}
	var path []string // the names of the sections around a line
	for line := range strings.Lines(string(data)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(line, "$") {
			continue
		}
		indent := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		path = append(path[:min(indent, len(path))], name)
		value = strings.TrimSpace(value)
		switch {
		case value == "":
		case name == "Last Transition Time" || len(condition) > 0:
			condition[name] = value
		default:
			fields[strings.Join(path, "/")] = value
		}
		if name == "Type" {
			for field, value := range condition {
				if field != "Type" {
					fields[condition["Type"]+"/"+field] = value
				}
			}
			clear(condition)
		}
	}
	return fields
}
