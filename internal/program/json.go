package program

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
)

// appendObject appends the JSON object of the figures, in their order.
func appendObject(dst []byte, figures []entry) []byte {
	dst = append(dst, '{')
	for i, f := range figures {
		dst = appendKey(dst, i, f.key)
		dst = appendValue(dst, reflect.ValueOf(f.value))
	}
	return append(dst, '}')
}

// appendKey appends the i-th key of an object.
func appendKey(dst []byte, i int, key string) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(appendMarshaled(dst, key), ':')
}

// appendValue appends v. It is what encoding/json does, except that it gives null
// for a number that JSON has not, where encoding/json fails, and [] for a nil
// slice.
func appendValue(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Invalid:
		return append(dst, "null"...)
	case reflect.Float32, reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return append(dst, "null"...)
		}
		return appendMarshaled(dst, v.Interface())
	case reflect.Pointer, reflect.Interface:
		return appendValue(dst, v.Elem())
	case reflect.Slice, reflect.Array:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, v.Index(i))
		}
		return append(dst, ']')
	case reflect.Map:
		members := map[string]reflect.Value{}
		for it := v.MapRange(); it.Next(); {
			members[it.Key().String()] = it.Value()
		}
		dst = append(dst, '{')
		for i, key := range slices.Sorted(maps.Keys(members)) {
			dst = appendValue(appendKey(dst, i, key), members[key])
		}
		return append(dst, '}')
	case reflect.Struct:
		dst = append(dst, '{')
		for i := range v.NumField() {
			dst = appendValue(appendKey(dst, i, fieldName(v.Type().Field(i))), v.Field(i))
		}
		return append(dst, '}')
	}
	return appendMarshaled(dst, v.Interface())
}

func fieldName(f reflect.StructField) string {
	if name := f.Tag.Get("json"); name != "" {
		return name
	}
	return f.Name
}

func appendMarshaled(dst []byte, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("program: a value of type %T in the JSON object: %v", value, err))
	}
	return append(dst, text...)
}
