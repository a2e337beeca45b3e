package validate

import (
	"reflect"
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MaxImage is the maximum length of an image pull spec.
const MaxImage = 447

// imageRegexp matches a pull spec by digest: host[:port]/[namespace/]name@sha256:digest.
var imageRegexp = regexp.MustCompile(`^([a-zA-Z0-9-]+\.)+[a-zA-Z0-9-]+(:[0-9]{2,5})?/([a-zA-Z0-9-_]{0,61}/)?[a-zA-Z0-9-_.]*?@sha256:[a-f0-9]{64}$`)

// IsName reports whether a value is a valid name of a config, a pool or a node.
func IsName(value string) bool { return len(validation.IsDNS1123Subdomain(value)) == 0 }

// IsImage reports whether a value is a pull spec by digest that the CRD accepts.
func IsImage(value string) bool { return len(value) <= MaxImage && imageRegexp.MatchString(value) }

// The CRD's rules for the reason of a condition.
const (
	MaxReason     = 1024
	ReasonPattern = `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
)

var reasonRegexp = regexp.MustCompile(ReasonPattern)

// IsReason reports whether the CRD accepts a value as the reason of a condition.
func IsReason(value string) bool { return len(value) <= MaxReason && reasonRegexp.MatchString(value) }

// IsNil reports whether a value is nil, or a nil pointer, map, slice, function or channel.
func IsNil(value any) bool {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
		return v.IsNil()
	default:
		return false
	}
}

// Field is a required field of a Config.
type Field struct {
	Name  string
	Value any
	Hint  string // advice for the caller, which the error contains
}

// Required returns a *field.Error for the first field with a nil value (see IsNil), or nil.
func Required(path *field.Path, fields ...Field) error {
	for _, f := range fields {
		if IsNil(f.Value) {
			return field.Required(path.Child(f.Name), f.Hint)
		}
	}
	return nil
}
