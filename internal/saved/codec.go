package saved

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
)

// describe appends a description of t to b. Writer and reader must have the same description.
// above are the types that contain t.
func describe(b *strings.Builder, t reflect.Type, above []reflect.Type) error {
	for _, outer := range above {
		if t == outer && t.Kind() == reflect.Struct {
			return fmt.Errorf("the type %v contains itself", t)
		}
	}
	above = append(above, t)
	switch t.Kind() {
	case reflect.Bool, reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		b.WriteString(t.Kind().String())
		return nil
	case reflect.Slice:
		b.WriteString("[]")
		return describe(b, t.Elem(), above)
	case reflect.Array:
		if t.Len() == 0 {
			break
		}
		fmt.Fprintf(b, "[%d]", t.Len())
		return describe(b, t.Elem(), above)
	case reflect.Pointer:
		b.WriteString("*")
		return describe(b, t.Elem(), above)
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			break
		}
		b.WriteString("map[string]")
		return describe(b, t.Elem(), above)
	case reflect.Struct:
		b.WriteString("{")
		n := b.Len()
		for i := range t.NumField() {
			if x := t.Field(i); x.IsExported() {
				b.WriteString(x.Name + " ")
				if err := describe(b, x.Type, above); err != nil {
					return err
				}
				b.WriteString(";")
			}
		}
		if b.Len() > n {
			b.WriteString("}")
			return nil
		}
	}
	return fmt.Errorf("a value of the type %v cannot be stored", t)
}

// described returns the value that state points to, and the description of its type.
func described(state any) (reflect.Value, string, error) {
	v := reflect.ValueOf(state)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if !v.IsValid() {
		return v, "", errors.New("there are no values to store")
	}
	var b strings.Builder
	err := describe(&b, v.Type(), nil)
	return v, b.String(), err
}

// block is the number of bytes of a slice that are written or read at a time.
const block = 1 << 13

// encoder writes values one after another: numbers little-endian in their size, int and uint in
// 8 bytes.
type encoder struct {
	w       io.Writer
	err     error // the first
	scratch [block]byte
}

// state writes a value, or the value that it points to.
func (e *encoder) state(state any) error {
	v, text, err := described(state)
	if err != nil {
		return err
	}
	e.text(text)
	e.value(v)
	return e.err
}

func (e *encoder) write(b []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
}

// bits writes the n low bytes of x.
func (e *encoder) bits(x uint64, n int) {
	e.write(binary.LittleEndian.AppendUint64(e.scratch[:0], x)[:n])
}

func (e *encoder) number(x uint64) { e.bits(x, 8) }

func (e *encoder) text(s string) {
	e.number(uint64(len(s)))
	if e.err == nil {
		_, e.err = io.WriteString(e.w, s)
	}
}

func (e *encoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		x := uint64(0)
		if v.Bool() {
			x = 1
		}
		e.bits(x, 1)
	case reflect.String:
		e.text(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.bits(uint64(v.Int()), size(v.Kind()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.bits(v.Uint(), size(v.Kind()))
	case reflect.Float32:
		e.bits(uint64(math.Float32bits(float32(v.Float()))), 4)
	case reflect.Float64:
		e.bits(math.Float64bits(v.Float()), 8)
	case reflect.Slice:
		e.slice(v)
	case reflect.Array:
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			e.number(0)
			return
		}
		e.number(1)
		e.value(v.Elem())
	case reflect.Map:
		// 1 + the number of entries, 0 for nil, and the entries in the order of their keys.
		if v.IsNil() {
			e.number(0)
			return
		}
		e.number(1 + uint64(v.Len()))
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			e.text(k.String())
			e.value(v.MapIndex(k))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				e.value(v.Field(i))
			}
		}
	}
}

// slice writes 1 + the length, 0 for nil, and the elements.
func (e *encoder) slice(v reflect.Value) {
	if v.IsNil() {
		e.number(0)
		return
	}
	e.number(1 + uint64(v.Len()))
	n := plain(v.Type().Elem())
	if n == 0 {
		for i := range v.Len() {
			e.value(v.Index(i))
		}
		return
	}
	v = v.Convert(reflect.SliceOf(v.Type().Elem())) // a type that package binary knows
	for first := 0; first < v.Len() && e.err == nil; {
		after := min(first+len(e.scratch)/n, v.Len())
		var b []byte
		b, e.err = binary.Append(e.scratch[:0], binary.LittleEndian, v.Slice(first, after).Interface())
		e.write(b)
		first = after
	}
}

// size returns the number of bytes of a number in a file.
func size(k reflect.Kind) int {
	switch k {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	}
	return 8
}

// plain returns the size of the elements of a slice that package encoding/binary writes and
// reads as a whole: predeclared numbers of a machine-independent size. It returns 0 for other
// types.
func plain(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		if t.PkgPath() == "" {
			return size(t.Kind())
		}
	}
	return 0
}

// decoder reads the output of an encoder.
type decoder struct {
	r       io.Reader
	left    int64 // bytes still to come
	err     error // the first
	scratch [block]byte
}

// state fills the value that state points to.
func (d *decoder) state(state any) error {
	if v := reflect.ValueOf(state); v.Kind() != reflect.Pointer || v.IsNil() {
		return errors.New("a value to load must be a pointer")
	}
	v, text, err := described(state)
	if err != nil {
		return err
	}
	if got := d.text(); d.err == nil && got != text {
		return fmt.Errorf("it holds %s, want %s", got, text)
	}
	d.value(v)
	return d.err
}

// read fills b. If b is longer than the scratch buffer, its bytes must be known to follow.
func (d *decoder) read(b []byte) []byte {
	if d.err == nil && int64(len(b)) > d.left {
		d.err = errors.New("it ends too soon")
	}
	if d.err == nil {
		_, d.err = io.ReadFull(d.r, b)
	}
	if d.err != nil {
		clear(b)
		return b
	}
	d.left -= int64(len(b))
	return b
}

// bits returns a number of n bytes.
func (d *decoder) bits(n int) uint64 {
	b := d.scratch[:8]
	clear(b)
	d.read(b[:n])
	return binary.LittleEndian.Uint64(b)
}

func (d *decoder) number() uint64 { return d.bits(8) }

// signed returns a number of n bytes whose highest bit is its sign.
func (d *decoder) signed(n int) int64 {
	unused := 64 - 8*n
	return int64(d.bits(n)) << unused >> unused
}

// length returns the number of elements that follow, which take at least size bytes each.
func (d *decoder) length(n uint64, size int64) int {
	if d.err == nil && n > uint64(d.left/size) {
		d.err = errors.New("it ends too soon")
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	b := make([]byte, d.length(d.number(), 1))
	return string(d.read(b))
}

func (d *decoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		x := d.bits(1)
		if x > 1 && d.err == nil {
			d.err = fmt.Errorf("%d, want 0 for false or 1 for true", x)
		}
		v.SetBool(x != 0)
	case reflect.String:
		v.SetString(d.text())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(d.signed(size(v.Kind())))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(d.bits(size(v.Kind())))
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(uint32(d.bits(4)))))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(d.bits(8)))
	case reflect.Slice:
		d.slice(v)
	case reflect.Array:
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Map:
		d.entries(v)
	case reflect.Pointer:
		v.SetZero()
		if d.number() != 0 {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				d.value(v.Field(i))
			}
		}
	}
}

// slice reads a slice. It allocates memory in proportion to the input read.
func (d *decoder) slice(v reflect.Value) {
	v.SetZero()
	n := d.number()
	if n == 0 || d.err != nil {
		return
	}
	n--
	if k := plain(v.Type().Elem()); k > 0 {
		count := d.length(n, int64(k))
		all := reflect.MakeSlice(v.Type(), count, count)
		v.Set(all)
		all = all.Convert(reflect.SliceOf(v.Type().Elem())) // the same elements
		for first := 0; first < count && d.err == nil; {
			after := min(first+len(d.scratch)/k, count)
			b := d.read(d.scratch[:(after-first)*k])
			if d.err == nil {
				_, d.err = binary.Decode(b, binary.LittleEndian, all.Slice(first, after).Interface())
			}
			first = after
		}
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	element := reflect.New(v.Type().Elem()).Elem()
	for range d.length(n, 1) {
		if d.err != nil {
			return
		}
		element.SetZero()
		d.value(element)
		v.Set(reflect.Append(v, element))
	}
}

// entries reads a map, whose keys are in increasing order.
func (d *decoder) entries(v reflect.Value) {
	v.SetZero()
	n := d.number()
	if n == 0 || d.err != nil {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	element := reflect.New(v.Type().Elem()).Elem()
	before := ""
	for i := range d.length(n-1, 8) {
		key := d.text()
		element.SetZero()
		d.value(element)
		if d.err == nil && i > 0 && key <= before {
			d.err = errors.New("keys are not in order")
		}
		if d.err != nil {
			return
		}
		v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), element)
		before = key
	}
}
