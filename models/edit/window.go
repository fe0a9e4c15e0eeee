package edit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Window is the extent of a context around a symbol: the number of symbols to its left and to its
// right. Positions beyond the ends of the string have symbols, too.
type Window struct{ Left, Right int }

// within reports whether v contains w.
func (w Window) within(v Window) bool { return w.Left <= v.Left && w.Right <= v.Right }

// boundary is the symbol beyond the ends of a string.
const boundary = 0

// place is a position in an input string, −1 for the mark of its beginning.
type place struct {
	x []int32
	i int
}

// at returns the symbol at a distance from the place.
func (p place) at(distance int) int32 {
	if i := p.i + distance; i >= 0 && i < len(p.x) {
		return p.x[i]
	}
	return boundary
}

// context returns the name of the context at the place within w: the number of symbols to the left,
// and the symbols.
func (p place) context(w Window) string {
	b := strconv.AppendInt(nil, int64(w.Left), 10)
	for d := -w.Left; d <= w.Right; d++ {
		b = strconv.AppendInt(append(b, ' '), int64(p.at(d)), 10)
	}
	return string(b)
}

// contexts are the labels that a contextual model has for the symbols of its input: one for each
// known context of each window.
type contexts struct {
	names   *fst.Symbols
	windows []Window // the widest first
	symbol  []int32  // per label: the symbol in the middle
}

// readContexts returns the contexts that are the names of the labels of a machine. The error wraps
// em.ErrFormat for a name that is not a context.
func readContexts(names *fst.Symbols) (*contexts, error) {
	c := &contexts{names: names, symbol: make([]int32, names.Len())}
	for label, name := range names.All() {
		if label == fst.Epsilon {
			continue
		}
		left, x := parseContext(name)
		if x == nil || int(label) >= len(c.symbol) {
			return nil, nested.Errorf("edit: %w: context %s", em.ErrFormat, text.Quote(name))
		}
		w := Window{left, len(x) - 1 - left}
		c.symbol[label] = x[left]
		if !slices.Contains(c.windows, w) {
			c.windows = append(c.windows, w)
		}
	}
	slices.SortFunc(c.windows, func(v, w Window) int { return cmp.Compare(w.Left+w.Right, v.Left+v.Right) })
	return c, nil
}

// parseContext returns the number of symbols to the left, and the symbols, of the context with this
// name. It returns nil symbols if the name is not a context.
func parseContext(name string) (left int, x []int32) {
	var numbers []int32
	for _, f := range strings.Fields(name) {
		n, err := strconv.ParseInt(f, 10, 32)
		if err != nil || n < 0 {
			return 0, nil
		}
		numbers = append(numbers, int32(n))
	}
	if len(numbers) < 2 || int(numbers[0]) > len(numbers)-2 {
		return 0, nil
	}
	return int(numbers[0]), numbers[1:]
}

// labels returns the labels of the widest contexts, for the mark of the beginning and each symbol
// of x. It returns false if one of them has no label.
func (c *contexts) labels(x []int32) ([]int32, bool) {
	labels := make([]int32, 0, len(x)+1)
	for i := -1; i < len(x); i++ {
		label, ok := int32(0), false
		for _, w := range c.windows {
			if label, ok = c.names.Find(place{x, i}.context(w)); ok {
				break
			}
		}
		if !ok {
			return nil, false
		}
		labels = append(labels, label)
	}
	return labels, true
}
