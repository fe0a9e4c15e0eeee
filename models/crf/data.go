package crf

import (
	"math"
	"slices"
	"unicode/utf8"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
)

// Data are labeled training sequences. Names of attributes and labels are stored once and
// numbered in order of first occurrence. Add is not safe for concurrent use.
type Data struct {
	attributes Attributes
	labels     *names
	first      []int   // the first position of every sequence; at the end, the number of positions
	gold       []int32 // the label of every position

	allowed []allowed // sequences that are not in the data, but whose pairs have weights
}

// allowed are attributes and labels of positions.
type allowed struct {
	points
	label []int32
}

// NewData returns Data without sequences.
func NewData() *Data {
	return &Data{
		attributes: Attributes{names: newNames(nil), points: points{row: []int{0}}},
		labels:     newNames(nil), first: []int{0},
	}
}

// Add adds a sequence with the given labels, one per position; it may be empty. The error wraps
// ErrInvalid if a name is not UTF-8 or a value is not finite; the data are then unchanged, except
// for new names, which are harmless.
func (d *Data) Add(labels []string, f Features) error {
	nonnil.Check("crf: Add", "features", f)
	for t, l := range labels {
		if !utf8.ValidString(l) {
			return nested.Errorf("crf: %w: label %s at position %d is not UTF-8", ErrInvalid, text.Quote(l), t)
		}
	}
	a := &d.attributes
	rows, attrs := len(a.row), len(a.attr)
	if err := a.read(len(labels), f); err != nil {
		a.row, a.attr, a.value = a.row[:rows], a.attr[:attrs], a.value[:attrs]
		return nested.Errorf("crf: sequence %d: %w", d.NumSequences(), err)
	}
	for _, l := range labels {
		d.gold = append(d.gold, d.labels.add(l))
	}
	d.first = append(d.first, len(d.gold))
	return nil
}

// Allow gives the attributes of a sequence weights with the given labels, as Add does, but
// without adding the sequence. If labels are not known, call it with probable labels. Errors are
// as for Add.
func (d *Data) Allow(labels []string, f Features) error {
	nonnil.Check("crf: Allow", "features", f)
	positions, attrs := len(d.attributes.row), len(d.attributes.attr)
	n := len(d.gold)
	if err := d.Add(labels, f); err != nil {
		return err
	}
	a := &d.attributes
	seen := allowed{points: points{attr: slices.Clone(a.attr[attrs:])}, label: slices.Clone(d.gold[n:])}
	for _, end := range a.row[positions-1:] {
		seen.row = append(seen.row, end-attrs)
	}
	d.allowed = append(d.allowed, seen)
	a.row, a.attr, a.value = a.row[:positions], a.attr[:attrs], a.value[:attrs]
	d.gold, d.first = d.gold[:n], d.first[:len(d.first)-1]
	return nil
}

// NumSequences returns the number of sequences.
func (d *Data) NumSequences() int { return len(d.first) - 1 }

// NumPositions returns the number of positions of all sequences.
func (d *Data) NumPositions() int { return len(d.gold) }

// pairs returns the pairs of an attribute and a label that have weights: pairs that were observed
// or allowed.
func (d *Data) pairs() (*pairs, error) {
	// Sort the occurrences by attribute, then take each label once.
	p := &pairs{row: make([]int32, d.attributes.names.len()+1)}
	all := append(slices.Clone(d.allowed), allowed{d.attributes.points, d.gold})
	begin := make([]int, len(p.row))
	for _, x := range all {
		for _, a := range x.attr {
			begin[a+1]++
		}
	}
	for a := range begin[1:] {
		begin[a+1] += begin[a]
	}
	labels := make([]int32, begin[len(begin)-1])
	end := append([]int(nil), begin...)
	for _, x := range all {
		for t, y := range x.label {
			for _, a := range x.attr[x.row[t]:x.row[t+1]] {
				labels[end[a]] = y
				end[a]++
			}
		}
	}
	seen := make([]int, d.labels.len()) // 1 + the last attribute with this label
	for a := range begin[1:] {
		for _, y := range labels[begin[a]:begin[a+1]] {
			if seen[y] != a+1 {
				seen[y] = a + 1
				p.label = append(p.label, y)
			}
		}
		if len(p.label) > math.MaxInt32 {
			return nil, nested.Errorf("crf: %w: more than %d weights", ErrInvalid, math.MaxInt32)
		}
		p.row[a+1] = int32(len(p.label))
	}
	return p, nil
}

// ErrInvalid reports invalid data, models or arguments.
var ErrInvalid = nested.ErrInvalid

// Features adds the attributes of position t of a sequence to a. It usually closes over the
// sequence, and may depend on all of it. Use the same function for training and labeling.
type Features func(t int, a *Attributes)

// Names returns the features of a sequence of len(positions) positions, whose attributes are
// listed by name and have the value 1. Using them with another number of positions is an error
// that wraps ErrInvalid.
//
//	tags, err := predictor.Best(len(words), crf.Names(words...))
func Names(positions ...[]string) Features {
	return func(t int, a *Attributes) {
		if a.positions != len(positions) {
			a.fail("attributes are listed for %d positions, but the sequence has %d", len(positions), a.positions)
			return
		}
		for _, name := range positions[t] {
			a.Add(name)
		}
	}
}

// Attributes collects the attributes of the positions of a sequence. An attribute has a name,
// which may be a number in digits, and a value, usually 1; values of the same attribute at the
// same position are summed.
type Attributes struct {
	names *names
	known bool // names that are not in the table are ignored, not added
	key   []byte
	err   error

	at, positions int // the position in its sequence, and the length of the sequence

	points
}

// points are positions with attributes: position t has the attributes row[t], …, row[t+1]−1.
type points struct {
	row   []int
	attr  []int32
	value []float64
}

// Add adds the attribute whose name is made of the parts, with the value 1. It does not allocate
// if the name is in the table.
func (a *Attributes) Add(parts ...string) { a.AddValue(1, parts...) }

// AddValue adds the attribute whose name is made of the parts, with a finite value.
func (a *Attributes) AddValue(value float64, parts ...string) {
	a.key = a.key[:0]
	for _, p := range parts {
		a.key = append(a.key, p...)
	}
	if value-value != 0 {
		a.fail("attribute %s has the value %g, want a finite number", text.Quote(string(a.key)), value)
		return
	}
	id, ok := a.names.number[string(a.key)]
	switch {
	case ok:
	case a.known:
		return
	case !utf8.Valid(a.key):
		a.fail("attribute %s is not UTF-8", text.Quote(string(a.key)))
		return
	case a.names.len() == math.MaxInt32:
		a.fail("attribute %s is one too many", text.Quote(string(a.key)))
		return
	default:
		id = a.names.add(string(a.key))
	}
	a.attr = append(a.attr, id)
	a.value = append(a.value, value)
}

// fail records an error unless there was an earlier one.
func (a *Attributes) fail(format string, args ...any) {
	if a.err == nil {
		a.err = nested.Errorf("%w: position %d: "+format, append([]any{ErrInvalid, a.at}, args...)...)
	}
}

// read adds n positions. After an error the valid attributes have been added.
func (a *Attributes) read(n int, f Features) error {
	a.err, a.positions = nil, n
	for a.at = range n {
		f(a.at, a)
		a.row = append(a.row, len(a.attr))
	}
	return a.err
}

// names numbers names 0, 1, 2, … in insertion order.
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
