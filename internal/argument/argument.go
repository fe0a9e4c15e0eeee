// Package argument refuses arguments that are nil where they are given, before they do
// harm elsewhere.
package argument

import (
	"fmt"
	"reflect"
)

// Check returns an error, wrapping invalid, that names the operation and the first of its
// arguments that is nil, or a nil pointer or function in an interface; nil if there is
// none.
func Check(operation string, invalid error, args ...any) error {
	for i, a := range args {
		if isNil(a) {
			return fmt.Errorf("%s: %w: argument %d is nil", operation, invalid, i+1)
		}
	}
	return nil
}

// Require panics where Check returns an error.
func Require(operation string, args ...any) {
	for i, a := range args {
		if isNil(a) {
			panic(fmt.Sprintf("%s: argument %d is nil", operation, i+1))
		}
	}
}

func isNil(a any) bool {
	if a == nil {
		return true
	}
	v := reflect.ValueOf(a)
	return (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil()
}
