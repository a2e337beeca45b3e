package source

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// kinds has a constructor for each kind of object that the command reads.
var kinds = map[string]func() metav1.Object{
	"MachineConfigNode":    func() metav1.Object { return &mcfgv1.MachineConfigNode{} },
	"MachineConfigPool":    func() metav1.Object { return &mcfgv1.MachineConfigPool{} },
	"MachineConfiguration": func() metav1.Object { return &operatorv1.MachineConfiguration{} },
	"MachineConfig":        func() metav1.Object { return &metav1.PartialObjectMetadata{} },
	"Node":                 func() metav1.Object { return &corev1.Node{} },
	"ClusterVersion":       func() metav1.Object { return &configv1.ClusterVersion{} },
	"ClusterOperator":      func() metav1.Object { return &configv1.ClusterOperator{} },
	"PodDisruptionBudget":  func() metav1.Object { return &policyv1.PodDisruptionBudget{} },
}

// notAlone are the kinds of objects that are not shown without a pool or a MachineConfigNode.
var notAlone = []string{"Node", "MachineConfig", "ClusterVersion", "ClusterOperator", "PodDisruptionBudget"}

// hypershift occurs in the API versions and the labels of HyperShift's objects.
var hypershift = []byte(`"hypershift.openshift.io/`)

// decoder collects the objects of files.
type decoder struct {
	objects  []dated
	skipped  map[string]int // the number of skipped objects by reason
	isHosted bool           // an object comes from HyperShift
	isShown  bool           // the kind of an object is not in notAlone
}

// check returns an error if the files have no object to show.
func (d *decoder) check(origin string) error {
	has := d.skippedObjects()
	switch {
	case d.isShown:
		return nil
	case d.isHosted:
		return Usagef("%s is from a hosted cluster of HyperShift. It has no MachineConfigPools: "+
			"see the NodePools on the management cluster", origin)
	case has != "":
		return Usagef("no MachineConfigNodes and no MachineConfigPools in %s, but %s: %s", origin, has, getThem)
	}
	return Usagef("no MachineConfigNodes and no MachineConfigPools in %s: %s", origin, getThem)
}

// skippedObjects counts the skipped objects, for example "2 Pod, 1 Service".
func (d *decoder) skippedObjects() string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(d.skipped)) {
		all = append(all, fmt.Sprintf("%d %s", d.skipped[what], what))
	}
	return strings.Join(all, ", ")
}

// dated is an object with the newest time of its conditions.
type dated struct {
	metav1.Object
	newest time.Time
}

// decode decodes the objects of a file. kind is used for objects without a kind; it may be "".
func (d *decoder) decode(name, kind string, data []byte) error {
	data, isJSON, err := objectsIn(name, data)
	if err != nil {
		return err
	}
	if isJSON {
		err = d.decodeJSON(data, kind)
	} else {
		for _, document := range splitYAML(data) {
			text, thisErr := yaml.YAMLToJSON(document)
			if thisErr == nil {
				thisErr = d.add(text, kind)
			}
			err = errors.Join(err, thisErr)
		}
	}
	if err != nil {
		return Usagef("%s is incomplete or damaged: %s", name, getThem)
	}
	return nil
}

func (d *decoder) decodeJSON(data []byte, kind string) error {
	for stream := json.NewDecoder(bytes.NewReader(data)); ; {
		var document json.RawMessage
		switch err := stream.Decode(&document); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := d.add(document, kind); err != nil {
			return err
		}
	}
}

// add adds an object or the items of a list. kind is used if data has no kind, as in the items of a
// MachineConfigNodeList.
func (d *decoder) add(data []byte, kind string) error {
	var head struct {
		metav1.TypeMeta
		Items []json.RawMessage
	}
	var target any = &head
	switch {
	case string(data) == "null": // an empty document
		return nil
	case data[0] == '[':
		target = &head.Items
	}
	if err := json.Unmarshal(data, target); err != nil {
		return err
	}
	if head.Items != nil || strings.HasSuffix(head.Kind, "List") {
		for _, item := range head.Items {
			if err := d.add(item, cmp.Or(strings.TrimSuffix(head.Kind, "List"), kind)); err != nil {
				return err
			}
		}
		return nil
	}
	if head.Kind != "" {
		kind = head.Kind
	}
	d.isHosted = d.isHosted || bytes.Contains(data, hypershift)
	empty := kinds[kind]
	switch {
	case kind == "":
		d.skipped["object without a kind"]++
	// Other kinds of this API group are not counted, because every dump has them.
	case empty == nil && !strings.HasPrefix(head.APIVersion, mcfgv1.GroupName):
		d.skipped[kind]++
	case empty != nil:
		obj := empty()
		switch err := json.Unmarshal(data, obj); {
		case err != nil:
			d.skipped[kind+" that cannot be read"]++
		case obj.GetName() == "":
			d.skipped[kind+" without a name"]++
		default:
			d.objects = append(d.objects, dated{obj, newestIn(obj)})
			d.isShown = d.isShown || !slices.Contains(notAlone, kind)
		}
	}
	return nil
}

// sameTime is the maximum time between the newest Node and the newest MachineConfigNode of one dump: a
// kubelet writes the status of its Node every 5 minutes.
const sameTime = 10 * time.Minute

// older returns the newest time of the Nodes and the pools if the MachineConfigNodes are newer, because
// they were dumped later. Otherwise it returns zero.
func (d *decoder) older() time.Time {
	var old, heartbeat, newest time.Time
	nodes, isNewer := map[string]*corev1.Node{}, false
	for _, o := range d.objects { // sorted by time
		switch obj := o.Object.(type) {
		case *corev1.Node:
			nodes[obj.Name], old = obj, o.newest
			for _, c := range obj.Status.Conditions {
				heartbeat = later(heartbeat, c.LastHeartbeatTime.Time)
			}
		case *mcfgv1.MachineConfigPool:
			old = o.newest
		case *mcfgv1.MachineConfigNode:
			newest = o.newest
		}
	}
	for _, o := range d.objects {
		if obj, ok := o.Object.(*mcfgv1.MachineConfigNode); ok && nodes[obj.Name] != nil {
			isNewer = isNewer || mco.IsNewer(nodes[obj.Name], obj)
		}
	}
	if isNewer || !heartbeat.IsZero() && newest.Sub(heartbeat) > sameTime {
		return old
	}
	return time.Time{}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// newestIn returns the newest time of the conditions of an object.
func newestIn(obj metav1.Object) time.Time {
	var newest time.Time
	see := func(t metav1.Time) { newest = later(newest, t.Time) }
	switch o := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		for _, c := range o.Status.Conditions {
			see(c.LastTransitionTime)
		}
	case *mcfgv1.MachineConfigPool:
		for _, c := range o.Status.Conditions {
			see(c.LastTransitionTime)
		}
	case *corev1.Node:
		for _, c := range o.Status.Conditions {
			see(c.LastHeartbeatTime)
			see(c.LastTransitionTime)
		}
	}
	return newest
}
