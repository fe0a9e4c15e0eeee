// Package typename names types in messages. The idea: %T writes the arguments of a generic type
// with the paths of their packages, which nobody wants to read.
package typename

import (
	"reflect"
	"regexp"
)

// path is that of a package up to its last element.
var path = regexp.MustCompile(`[\w.~-]+(/[\w.~-]+)*/`)

// Of returns the name of v's type, as %T writes it, without paths of packages. A v that stands
// for a value of another type says by a method TypeName what that is called.
func Of(v any) string {
	if v == nil {
		return "nil"
	}
	if v, ok := v.(interface{ TypeName() string }); ok {
		return v.TypeName()
	}
	return OfType(reflect.TypeOf(v))
}

// OfType is Of for a type.
func OfType(t reflect.Type) string { return path.ReplaceAllString(t.String(), "") }
