package pool

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pair is a Node and its MachineConfigNode. mcn may be nil.
type pair struct {
	node *corev1.Node
	mcn  *mcfgv1.MachineConfigNode
}

// pairs returns one pair for each Node name, with the newest objects of that name.
func pairs(nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode) []pair {
	list, index := make([]pair, 0, len(nodes)), make(map[string]int, len(nodes))
	for _, node := range nodes {
		if node == nil {
			continue
		}
		if i, ok := index[node.Name]; !ok {
			index[node.Name] = len(list)
			list = append(list, pair{node: node})
		} else if isNewer(node, list[i].node) {
			list[i].node = node
		}
	}
	for _, mcn := range mcns {
		if mcn == nil {
			continue
		}
		if i, ok := index[mcn.Name]; ok && (list[i].mcn == nil || isNewer(mcn, list[i].mcn)) {
			list[i].mcn = mcn
		}
	}
	return list
}

// isNewer reports whether a has a higher resourceVersion than b. If the resourceVersions are equal,
// isNewer compares the contents, so that the order of the lists makes no difference.
func isNewer(a, b metav1.Object) bool {
	v, w := a.GetResourceVersion(), b.GetResourceVersion()
	if order := cmp.Or(cmp.Compare(len(v), len(w)), cmp.Compare(v, w)); order != 0 {
		return order > 0
	}
	return a != b && slices.Compare(contents(a), contents(b)) > 0
}

// contents returns the JSON text of an object, split at braces and brackets. The parts are sorted,
// so that the order of conditions makes no difference.
func contents(object metav1.Object) []string {
	text, _ := json.Marshal(object) // never fails for an API object
	list := strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune("{}[]", r) })
	slices.Sort(list)
	return list
}
