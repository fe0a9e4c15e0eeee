// Package nonnil rejects nil arguments at the call that passes them. A nil context, law, ring,
// operand or alphabet is a mistake in the caller's program: without this check it would panic
// later, without a message.
package nonnil

import (
	"fmt"
	"reflect"
)

// Check panics if an argument of the function called name is nil, or an interface that holds a
// nil pointer, map, function or channel. The arguments are pairs of a name and a value:
// Check("em: Joint", "law", law). Not for hot loops.
func Check(name string, arguments ...any) {
	for i := 0; i < len(arguments); i += 2 {
		if Is(arguments[i+1]) {
			panic(fmt.Sprintf("%s: nil %s", name, arguments[i]))
		}
	}
}

// Is reports whether x is nil, or an interface that holds a nil pointer, map, function or channel.
func Is(x any) bool {
	if x == nil {
		return true
	}
	switch v := reflect.ValueOf(x); v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}
