// Package typename names types in messages. The idea: %T writes the arguments of a generic type
// with the full paths of their packages, which makes messages hard to read.
package typename

import (
	"reflect"
	"strings"
)

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
func OfType(t reflect.Type) string {
	var name strings.Builder
	for rest := t.String(); rest != ""; {
		n := strings.IndexFunc(rest, func(c rune) bool { return !inPath(c) })
		if n < 0 {
			n = len(rest)
		}
		// A run of characters of paths is a name, or a path that ends in a name.
		name.WriteString(rest[strings.LastIndexByte(rest[:n], '/')+1 : n])
		if n < len(rest) {
			name.WriteByte(rest[n]) // a bracket, a star, a comma, a space: one byte
			n++
		}
		rest = rest[n:]
	}
	return name.String()
}

// inPath reports whether c may be in the path of a package: a slash, or a character of the
// element of a module path.
func inPath(c rune) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.ContainsRune("/_.~-", c)
}
