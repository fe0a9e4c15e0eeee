// Package spoiled changes saved values in one place each. The idea: for any damage to a file, a
// reader must return an error, or the value that it returns must answer every query with a
// valid number. So a test changes a file at all its places, reads it and makes queries.
package spoiled

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// JSON yields copies of a JSON text with one change each, and a description of the change: a
// number, string or truth value is replaced by others of its kind, a list loses or duplicates
// an element, an object loses a key, and any value becomes null. It panics if text is not JSON.
func JSON(text []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var root any
		if err := d.Decode(&root); err != nil {
			panic("spoiled: " + err.Error())
		}
		s := spoiler{yield: func(what string) bool {
			changed, err := json.Marshal(root)
			if err != nil {
				panic("spoiled: " + err.Error())
			}
			return yield(what, changed)
		}}
		s.value("", root, func(x any) { root = x })
	}
}

type spoiler struct {
	yield   func(what string) bool
	stopped bool
}

// try sets a value, yields, and restores the old value.
func (s *spoiler) try(path string, set func(any), old, changed any) {
	if s.stopped || reflect.DeepEqual(old, changed) {
		return
	}
	set(changed)
	text, err := json.Marshal(changed)
	if err != nil {
		panic("spoiled: " + err.Error())
	}
	s.stopped = !s.yield(path + " = " + abridged(string(text)))
	set(old)
}

func abridged(text string) string {
	if len(text) > 80 {
		return text[:80] + "…"
	}
	return text
}

// value changes the value x at a path, which set replaces.
func (s *spoiler) value(path string, x any, set func(any)) {
	s.try(path, set, x, nil)
	switch x := x.(type) {
	case json.Number:
		for _, n := range numbers(x) {
			s.try(path, set, x, n)
		}
	case string:
		for _, t := range []string{"", x + x, "-1", "$-1", "x", x + "\n", strings.ToUpper(x)} {
			s.try(path, set, x, t)
		}
	case bool:
		s.try(path, set, x, !x)
	case []any:
		s.list(path, x, set)
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			v := x[k]
			delete(x, k)
			s.stopped = s.stopped || !s.yield(path+" without "+k)
			x[k] = v
			s.value(path+"."+k, v, func(y any) { x[k] = y })
		}
	}
}

// manyElements is the length of a list above which only some elements are changed.
const manyElements = 40

func (s *spoiler) list(path string, x []any, set func(any)) {
	s.try(path, set, x, []any{})
	stride := 1 + len(x)/manyElements
	for i := 0; i < len(x); i += stride {
		at := path + "[" + strconv.Itoa(i) + "]"
		without := append(append([]any{}, x[:i]...), x[i+1:]...)
		s.try(path+" without "+at, set, x, without)
		twice := append(append([]any{}, x[:i+1]...), x[i:]...)
		s.try(path+" twice "+at, set, x, twice)
		s.value(at, x[i], func(y any) { x[i] = y })
	}
}

// numbers returns replacements of x.
func numbers(x json.Number) []json.Number {
	all := []json.Number{"-1", "0", "1", "2", "-2", "0.5", "-0.5", "7", "1000000007", "1e-320", "1e300", "-1e300", "1.7976931348623157e308"}
	if n, err := x.Int64(); err == nil {
		all = append(all, json.Number(strconv.FormatInt(n+1, 10)), json.Number(strconv.FormatInt(-n, 10)), json.Number(strconv.FormatInt(n-1, 10)))
	} else if f, err := x.Float64(); err == nil {
		all = append(all, json.Number(strconv.FormatFloat(-f, 'g', -1, 64)), json.Number(strconv.FormatFloat(2*f, 'g', -1, 64)))
	}
	return all
}

// Fields yields descriptions of changes while v, a pointer to a struct, has the change: an
// element of a field at any depth has another value, or a list loses or duplicates an element.
// After the loop v is restored. The fields must be exported.
func Fields(v any) iter.Seq[string] {
	return func(yield func(string) bool) {
		f := fields{yield: yield}
		f.value("", reflect.ValueOf(v).Elem())
	}
}

type fields struct {
	yield   func(string) bool
	stopped bool
}

func (f *fields) try(path string, v reflect.Value, changed reflect.Value, what string) {
	if f.stopped {
		return
	}
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	v.Set(changed)
	f.stopped = !f.yield(path + " = " + what)
	v.Set(old)
}

func (f *fields) value(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f.value(path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			f.value(path+"["+strconv.Itoa(i)+"]", v.Index(i))
		}
	case reflect.Slice:
		f.slice(path, v)
	case reflect.String:
		for _, x := range []string{"", v.String() + "x", "\n"} {
			f.try(path, v, reflect.ValueOf(x).Convert(v.Type()), strconv.Quote(x))
		}
	case reflect.Bool:
		f.try(path, v, reflect.ValueOf(!v.Bool()).Convert(v.Type()), strconv.FormatBool(!v.Bool()))
	case reflect.Float64:
		x := v.Float()
		for _, y := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1, .5, 2, 1e300, -1e300, 1e-320, -x, 2 * x, x + 1e-7} {
			f.try(path, v, reflect.ValueOf(y).Convert(v.Type()), strconv.FormatFloat(y, 'g', -1, 64))
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		x := v.Int()
		for _, y := range []int64{-1, 0, 1, 2, 7, 40, x + 1, x - 1, -x, math.MaxInt32, math.MinInt32} {
			f.try(path, v, reflect.ValueOf(y).Convert(v.Type()), strconv.FormatInt(y, 10))
		}
	case reflect.Uint8, reflect.Uint64:
		x := v.Uint()
		for _, y := range []uint64{0, 1, 2, x + 1, x - 1, 255} {
			f.try(path, v, reflect.ValueOf(y).Convert(v.Type()), strconv.FormatUint(y, 10))
		}
	}
}

func (f *fields) slice(path string, v reflect.Value) {
	f.try(path, v, reflect.Zero(v.Type()), "empty")
	stride := 1 + v.Len()/manyElements
	for i := 0; i < v.Len(); i += stride {
		at := path + "[" + strconv.Itoa(i) + "]"
		without := reflect.MakeSlice(v.Type(), 0, v.Len())
		without = reflect.AppendSlice(without, v.Slice(0, i))
		without = reflect.AppendSlice(without, v.Slice(i+1, v.Len()))
		f.try(path, v, without, "without "+at)
		twice := reflect.MakeSlice(v.Type(), 0, v.Len()+1)
		twice = reflect.AppendSlice(twice, v.Slice(0, i+1))
		twice = reflect.AppendSlice(twice, v.Slice(i, v.Len()))
		f.try(path, v, twice, "twice "+at)
		f.value(at, v.Index(i))
	}
}

// Bytes yields n copies of data, each with one change: a byte chosen by rng is replaced,
// removed or duplicated, or the end is missing.
func Bytes(data []byte, n int, rng *rand.Rand) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for range n {
			i := rng.IntN(len(data))
			var what string
			changed := bytes.Clone(data)
			switch rng.IntN(8) {
			case 0:
				what, changed = "without byte ", append(changed[:i], changed[i+1:]...)
			case 1:
				what, changed = "twice byte ", append(changed[:i+1], data[i:]...)
			case 2:
				what, changed = "ends before byte ", changed[:i]
			default:
				changed[i] ^= 1 << rng.IntN(8)
				what = "one bit of byte "
			}
			if !yield(what+strconv.Itoa(i), changed) {
				return
			}
		}
	}
}
