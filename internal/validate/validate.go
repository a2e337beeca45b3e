package validate

import (
	"reflect"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

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

// Required returns a *field.Error for the first field whose value is nil (see IsNil) or "", or nil.
func Required(path *field.Path, fields ...Field) error {
	for _, f := range fields {
		if IsNil(f.Value) || f.Value == "" {
			return field.Required(path.Child(f.Name), f.Hint)
		}
	}
	return nil
}
