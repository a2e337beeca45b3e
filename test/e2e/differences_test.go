package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// flat is an object as one JSON text per field, condition and image set.
type flat map[string]string

// differences returns how a state differs from the object, one field a line. It follows the rules
// of who owns what, but not the code of the library.
func (k known) differences(v *version, images bool) []string {
	state, stored := k.flat(), v.flat(k.fieldManager, k.Exact)
	var lines []string
	if k.StatusLost {
		for name := range stored {
			if strings.Contains(name, "condition ") {
				lines = append(lines, name+" is there, not lost")
			}
		}
		dropStatus(state)
		dropStatus(stored)
	}
	names := maps.Clone(state)
	maps.Copy(names, stored)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if state[name] != stored[name] {
			lines = append(lines, fmt.Sprintf("%s is %s, not %s", name, orNone(stored[name]), orNone(state[name])))
		}
	}
	if k.NoImageField && images {
		lines = append(lines, "the CRD has configImage")
	}
	updated, _ := statusOf(k.Object.Status.Conditions, string(phases.Updated))
	if k.UpdateTarget != "" && updated.Status == metav1.ConditionTrue {
		lines = append(lines, "an update to "+k.UpdateTarget+" is under way although Updated is True")
	}
	return lines
}

func orNone(text string) string {
	if text == "" {
		return "missing"
	}
	return text
}

func dropStatus(f flat) {
	maps.DeleteFunc(f, func(name, _ string) bool { return name != "metadata" && name != "spec" })
}

// common adds the fields that need no owner.
func (f flat) common(object *mcfgv1.MachineConfigNode) {
	metadata := object.ObjectMeta
	metadata.ManagedFields = nil
	f["metadata"], f["spec"] = jsonOf(metadata), jsonOf(object.Spec)
	f["status.configVersion"], f["status.configImage"] = jsonOf(object.Status.ConfigVersion), jsonOf(object.Status.ConfigImage)
	f["status.observedGeneration"] = jsonOf(object.Status.ObservedGeneration)
}

func (k known) flat() flat {
	f := flat{}
	f.common(k.Object)
	for _, c := range k.Object.Status.Conditions {
		f["condition "+c.Type] = jsonOf(fieldsOf(c))
	}
	for _, data := range k.Conditions {
		c := fieldsOf(data)
		f[fmt.Sprint("unowned condition ", c["type"])] = jsonOf(c)
	}
	for _, set := range k.Object.Status.PinnedImageSets {
		f["image set "+set.Name] = jsonOf(set)
	}
	for _, set := range k.ImageSets {
		name := "unowned image set " + set.Name
		f[name] = jsonOf(set)
		if k.Exact {
			f["verbatim "+name] = jsonOf(fieldsOf(k.Verbatim[set.Name]))
		}
	}
	return f
}

// flat is the object as a Monitor of the field manager should know it; exact, with what others
// have verbatim.
func (v *version) flat(fieldManager string, exact bool) flat {
	f := flat{}
	f.common(v.object)
	for _, c := range v.conditions {
		name := fmt.Sprint(c["type"])
		switch {
		case phases.KindOf(phases.Phase(name)) != "":
			f["condition "+name] = jsonOf(decoded(c, v.object.CreationTimestamp))
		case exact:
			f["unowned condition "+name] = jsonOf(c)
		default:
			f["unowned condition "+name] = jsonOf(decoded(c, metav1.Time{}))
		}
	}
	for i, set := range v.object.Status.PinnedImageSets {
		name := "image set " + set.Name
		if v.ownedByOthersOnly(set.Name, fieldManager) {
			name = "unowned " + name
			if exact {
				f["verbatim "+name] = jsonOf(v.imageSets[i])
			}
		}
		f[name] = jsonOf(set)
	}
	return f
}

// decoded is a condition as Go's type has it; a time that Go cannot parse is the given one.
func decoded(c map[string]any, otherwise metav1.Time) map[string]any {
	c = maps.Clone(c)
	at, err := time.Parse(time.RFC3339, strings.ToUpper(fmt.Sprint(c["lastTransitionTime"])))
	if err != nil {
		at = otherwise.Time
	}
	c["lastTransitionTime"] = at.UTC().Format(time.RFC3339)
	maps.DeleteFunc(c, func(name string, value any) bool { return name == "observedGeneration" && fmt.Sprint(value) == "0" })
	return c
}

func (v *version) ownedByOthersOnly(set, fieldManager string) bool {
	var own, others bool
	for _, entry := range v.object.ManagedFields {
		if entry.Subresource != "status" || entry.FieldsV1 == nil {
			continue
		}
		var fields struct {
			Status struct {
				Sets map[string]any `json:"f:pinnedImageSets"`
			} `json:"f:status"`
		}
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			continue
		}
		if _, ok := fields.Status.Sets[fmt.Sprintf(`k:{"name":%q}`, set)]; ok {
			own = own || entry.Manager == fieldManager
			others = others || entry.Manager != fieldManager
		}
	}
	return others && !own
}

func jsonOf(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// fieldsOf returns the fields of a JSON object, or of what encodes as one.
func fieldsOf(value any) map[string]any {
	var fields map[string]any
	if err := json.Unmarshal([]byte(jsonOf(value)), &fields); err != nil {
		return map[string]any{"error": err.Error()}
	}
	return fields
}
