package source

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

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
	"Pod":                  func() metav1.Object { return &corev1.Pod{} },
}

// shown are the kinds of objects without which there is nothing to show.
var shown = []string{"MachineConfigNode", "MachineConfigPool", "MachineConfiguration"}

// hypershift occurs in the API versions and the labels of HyperShift's objects.
var hypershift = []byte(`"hypershift.openshift.io/`)

// getThem tells the user how to write a file that the command can read.
const getThem = "use oc get mcp,machineconfignodes,nodes -o yaml --show-managed-fields > FILE"

// decoder collects the objects of files.
type decoder struct {
	objects  []dated
	isHosted bool // an object comes from HyperShift
	isShown  bool // the kind of an object is in shown
}

// dated is an object with the newest time of its conditions.
type dated struct {
	metav1.Object
	newest time.Time
}

// check returns an error if the files have no object to show.
func (d *decoder) check(origin string) error {
	switch {
	case d.isShown:
		return nil
	case d.isHosted:
		return Usagef("%s is from a hosted cluster of HyperShift. It has no MachineConfigPools: "+
			"see the NodePools on the management cluster", origin)
	}
	return Usagef("no MachineConfigNodes and no MachineConfigPools in %s: %s; for a hosted cluster of HyperShift, "+
		"see the NodePools on the management cluster", origin, getThem)
}

// decode decodes the objects of a file. kind is used for objects without a kind; it may be "".
func (d *decoder) decode(name, kind string, data []byte) error {
	if isArchive(data) {
		return Usagef("%s is an archive: unpack it, and pass the folder or the file in it", name)
	}
	data = bytes.ReplaceAll(asUTF8(data), []byte("\n..."), []byte("\n---")) // both end a document of YAML
	var errs []error
	for document := range bytes.SplitSeq(data, []byte("\n---")) {
		for _, list := range lists(document) {
			errs = append(errs, d.decodeDocument(list, kind))
		}
	}
	if errors.Join(errs...) != nil {
		return Usagef("%s is incomplete or damaged: %s", name, getThem)
	}
	return nil
}

// startOfList matches the start of a List as oc prints it.
var startOfList = regexp.MustCompile(`(?m)^apiVersion: v1\r?\nitems:`)

// lists splits a document that has several Lists: the output of commands that was appended to one file.
func lists(document []byte) (all [][]byte) {
	end := len(document)
	for _, match := range slices.Backward(startOfList.FindAllIndex(document, -1)) {
		all, end = append(all, document[match[0]:end]), match[0]
	}
	return append(all, document[:end])
}

// isArchive reports whether data begins as a compressed file or an archive.
func isArchive(data []byte) bool {
	for _, magic := range []string{"\x1f\x8b", "PK\x03\x04", "PK\x05\x06", "\xfd7zXZ\x00", "BZh", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	const ofTar = 257 // where a header of tar has its magic
	return len(data) > ofTar && bytes.HasPrefix(data[ofTar:], []byte("ustar"))
}

// asUTF8 returns the text of a file without its byte order mark. The output of a command in PowerShell is UTF-16, and some
// editors leave the mark out: then one of the first two bytes is zero, which it is in no other text.
func asUTF8(data []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(data) < 2:
		return data
	case data[1] == 0, bytes.HasPrefix(data, []byte("\xff\xfe")):
	case data[0] == 0, bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(data, []byte("\ufeff"))
	}
	text := make([]uint16, len(data)/2)
	for i := range text {
		text[i] = order.Uint16(data[2*i:])
	}
	return []byte(strings.TrimPrefix(string(utf16.Decode(text)), "\ufeff"))
}

// printable replaces the characters that YAML does not allow, but that a text of a terminal may have. It leaves
// zeros, which are the end of a file that was not written completely.
func printable(r rune) rune {
	if r > 0 && r < ' ' && !strings.ContainsRune("\t\n\r", r) || r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xfeff {
		return '\ufffd'
	}
	return r
}

// decodeDocument decodes a document of YAML, or a stream of JSON.
func (d *decoder) decodeDocument(document []byte, kind string) (err error) {
	if text := bytes.TrimSpace(document); !bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte("[")) {
		// Strict: a key that occurs twice is an error. Otherwise one of its values would be lost.
		if document, err = yaml.YAMLToJSONStrict(bytes.Map(printable, document)); err != nil {
			return err
		}
	}
	for stream := json.NewDecoder(bytes.NewReader(document)); stream.More(); {
		var object json.RawMessage
		if err := stream.Decode(&object); err != nil {
			return err
		}
		if err := d.add(object, kind); err != nil {
			return err
		}
	}
	return nil
}

// add adds an object, or the items of a list or of an array, such as the output of jq .items. kind is used if data has
// no kind, as in the items of a MachineConfigNodeList. Objects of other kinds are ignored.
func (d *decoder) add(data []byte, kind string) error {
	var head struct {
		metav1.TypeMeta
		Items []json.RawMessage
	}
	into := any(&head)
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		into = &head.Items
	}
	if err := json.Unmarshal(data, into); err != nil {
		return err
	}
	if head.Items != nil {
		var errs []error
		for _, item := range head.Items {
			errs = append(errs, d.add(item, cmp.Or(strings.TrimSuffix(head.Kind, "List"), kind)))
		}
		return errors.Join(errs...)
	}
	d.isHosted = d.isHosted || bytes.Contains(data, hypershift)
	kind = cmp.Or(head.Kind, kind)
	empty := kinds[kind]
	if empty == nil {
		return nil
	}
	obj := empty()
	if err := json.Unmarshal(data, obj); err != nil {
		return err
	}
	if obj.GetName() == "" && kind != "Pod" {
		return errors.New("a " + kind + " without a name")
	}
	d.objects = append(d.objects, dated{obj, newestIn(data)})
	d.isShown = d.isShown || slices.Contains(shown, kind)
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
				heartbeat = mco.Latest(heartbeat, c.LastHeartbeatTime.Time)
			}
		case *mcfgv1.MachineConfigPool:
			old = o.newest
		case *mcfgv1.MachineConfigNode:
			newest = o.newest
		}
	}
	for _, o := range d.objects {
		if obj, ok := o.Object.(*mcfgv1.MachineConfigNode); ok {
			isNewer = isNewer || mco.IsNewer(nodes[obj.Name], obj)
		}
	}
	if isNewer || !heartbeat.IsZero() && newest.Sub(heartbeat) > sameTime {
		return old
	}
	return time.Time{}
}

var timeOfCondition = regexp.MustCompile(`"last(?:Transition|Heartbeat)Time":\s*"([^"]+)"`)

// newestIn returns the newest time of the conditions of an object.
func newestIn(data []byte) (newest time.Time) {
	for _, match := range timeOfCondition.FindAllSubmatch(data, -1) {
		t, _ := time.Parse(time.RFC3339, string(match[1]))
		newest = mco.Latest(newest, t)
	}
	return newest
}
