package crf

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// ErrInvalid is wrapped by errors about data, models and arguments that make no
// sense.
var ErrInvalid = errors.New("invalid input")

// Features adds the attributes of position t of a sequence to a. It is a function
// of a sequence that the caller knows, and may look at all of it. The same function
// serves training and labeling.
type Features func(t int, a *Attributes)

// Attributes collects those of the positions of a sequence. An attribute has a name,
// which may be a number in digits, and a value, usually 1; values of the same attribute
// at the same position add up.
type Attributes struct {
	names *names
	known bool // names that are not yet in the table are left out, not added
	key   []byte
	at    int // the position in its sequence
	err   error
	points
}

// points are positions with attributes: position t has those from row[t] to
// row[t+1]−1.
type points struct {
	row   []int
	attr  []int32
	value []float64
}

// Add adds the attribute whose name is made of the parts, with the value 1. Nothing
// is allocated for a name that is in the table.
func (a *Attributes) Add(parts ...string) { a.AddValue(1, parts...) }

// AddValue adds the attribute whose name is made of the parts, with a finite value.
func (a *Attributes) AddValue(value float64, parts ...string) {
	a.key = a.key[:0]
	for _, p := range parts {
		a.key = append(a.key, p...)
	}
	if value-value != 0 {
		a.fail("attribute %q has the value %g, want a finite number", a.key, value)
		return
	}
	id, ok := a.names.number[string(a.key)]
	switch {
	case ok:
	case a.known:
		return
	case !utf8.Valid(a.key):
		a.fail("attribute %q is not UTF-8", a.key)
		return
	case a.names.len() == math.MaxInt32:
		a.fail("attribute %q is one too many", a.key)
		return
	default:
		id = a.names.add(string(a.key))
	}
	a.attr = append(a.attr, id)
	a.value = append(a.value, value)
}

// fail keeps the first error.
func (a *Attributes) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("%w: position %d: "+format, append([]any{ErrInvalid, a.at}, args...)...)
	}
}

// read adds n positions. After an error it has added what it could.
func (a *Attributes) read(n int, f Features) error {
	a.err = nil
	for a.at = range n {
		f(a.at, a)
		a.row = append(a.row, len(a.attr))
	}
	return a.err
}

// names numbers names 0, 1, 2, … in the order in which they are added.
type names struct {
	number map[string]int32
	list   []string
}

func newNames(list []string) *names {
	n := &names{number: make(map[string]int32, len(list))}
	for _, name := range list {
		n.add(name)
	}
	return n
}

func (n *names) len() int { return len(n.list) }

// add returns the number of a name.
func (n *names) add(name string) int32 {
	i, ok := n.number[name]
	if !ok {
		i = int32(len(n.list))
		n.number[name] = i
		n.list = append(n.list, name)
	}
	return i
}
