// Package typename names types in messages. The idea: %T writes the arguments of a generic type
// with the full paths of their packages, which makes messages hard to read.
package typename

import (
	"reflect"
	"regexp"
)

// path matches the path of a package up to its last element.
var path = regexp.MustCompile(`[\w.~-]+(/[\w.~-]+)*/`)

// Of returns the name of v's type, as %T writes it, without paths of packages. If v has a
// method TypeName, it returns the result of the method.
func Of(v any) string {
	if v == nil {
		return "nil"
	}
	if v, ok := v.(interface{ TypeName() string }); ok {
		return v.TypeName()
	}
	return OfType(reflect.TypeOf(v))
}

// OfType is like Of, for a type.
func OfType(t reflect.Type) string { return path.ReplaceAllString(t.String(), "") }
