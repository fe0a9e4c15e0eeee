package checkpoint

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
)

// describe appends what a type is made of to b: what is read must have been written from the
// same. above are the types that contain it.
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

// described returns what state points to, and the description of its type.
func described(state any) (reflect.Value, string, error) {
	v := reflect.ValueOf(state)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if !v.IsValid() {
		return v, "", errors.New("nothing to store")
	}
	var b strings.Builder
	err := describe(&b, v.Type(), nil)
	return v, b.String(), err
}

// block is how many numbers of a slice are written or read at a time.
const block = 512

// encoder writes values one after the other.
type encoder struct {
	w       io.Writer
	err     error // the first
	scratch [8 * block]byte
}

// state writes a value, or what it points to.
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

func (e *encoder) number(x uint64) {
	e.write(binary.LittleEndian.AppendUint64(e.scratch[:0], x))
}

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
		e.number(x)
	case reflect.String:
		e.text(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.number(math.Float64bits(v.Float()))
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
	switch v.Type().Elem() {
	case byteType:
		e.write(v.Bytes())
	case floatType:
		for x := v.Convert(floatsType).Interface().([]float64); len(x) > 0; x = x[min(block, len(x)):] {
			b := e.scratch[:0]
			for _, f := range x[:min(block, len(x))] {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
			}
			e.write(b)
		}
	default:
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	}
}

var (
	floatType  = reflect.TypeFor[float64]()
	floatsType = reflect.TypeFor[[]float64]()
	byteType   = reflect.TypeFor[byte]()
)

// decoder reads what an encoder wrote.
type decoder struct {
	r       *bufio.Reader
	left    int64 // bytes still to come
	err     error // the first
	scratch [8 * block]byte
}

// state fills what state points to.
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

// read fills b, which is at most as long as the scratch or known to come.
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

func (d *decoder) number() uint64 { return binary.LittleEndian.Uint64(d.read(d.scratch[:8])) }

// length returns how many elements are to come, which take at least size bytes each.
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
		v.SetBool(d.number() != 0)
	case reflect.String:
		v.SetString(d.text())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(d.number()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(d.number())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.Float64frombits(d.number()))
	case reflect.Slice:
		d.slice(v)
	case reflect.Array:
		for i := range v.Len() {
			d.value(v.Index(i))
		}
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

// slice reads a slice. It takes memory in proportion to what has come.
func (d *decoder) slice(v reflect.Value) {
	v.SetZero()
	n := d.number()
	if n == 0 || d.err != nil {
		return
	}
	n--
	switch v.Type().Elem() {
	case byteType:
		b := reflect.MakeSlice(v.Type(), d.length(n, 1), d.length(n, 1))
		d.read(b.Bytes())
		v.Set(b)
	case floatType:
		all := reflect.MakeSlice(v.Type(), d.length(n, 8), d.length(n, 8))
		v.Set(all)
		for x := all.Convert(floatsType).Interface().([]float64); len(x) > 0 && d.err == nil; {
			k := min(block, len(x))
			b := d.read(d.scratch[:8*k])
			for i := range k {
				x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
			}
			x = x[k:]
		}
	default:
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
}
