package grid

import (
	"slices"
	"sort"
)

// alphabet numbers the symbols of one tape: 0 for no symbol, then the symbols of the arcs in
// ascending order.
type alphabet struct {
	symbols []int32 // by number
	// numbers holds the numbers by symbol, 0 for a symbol that no arc has; nil if the symbols are
	// so far apart that most entries would be 0.
	numbers []int32
}

func newAlphabet(arcs []Arc, of func(Arc) int32) alphabet {
	symbols := make([]int32, 1, len(arcs)+1)
	for _, a := range arcs {
		if x := of(a); x != symbols[len(symbols)-1] {
			symbols = append(symbols, x)
		}
	}
	slices.Sort(symbols)
	a := alphabet{symbols: slices.Clone(slices.Compact(symbols))}
	const always = 1 << 16
	if last := int(a.symbols[a.size()-1]); last <= max(always, 16*a.size()) {
		a.numbers = make([]int32, last+1)
		for n, x := range a.symbols {
			a.numbers[x] = int32(n)
		}
	}
	return a
}

// size returns the number of symbols, 0 included.
func (a *alphabet) size() int { return len(a.symbols) }

// number returns the number of a symbol, 0 if no arc has the symbol.
func (a *alphabet) number(x int32) int32 {
	if a.numbers != nil {
		if uint32(x) < uint32(len(a.numbers)) {
			return a.numbers[x]
		}
		return 0
	}
	n, _ := slices.BinarySearch(a.symbols, x)
	if n < len(a.symbols) && a.symbols[n] == x {
		return int32(n)
	}
	return 0
}

// read appends the numbers of the symbols of x to dst. It returns false if the alphabet lacks a
// symbol of x.
func (a *alphabet) read(dst, x []int32) ([]int32, bool) {
	for _, symbol := range x {
		n := a.number(symbol)
		if n == 0 {
			return dst, false
		}
		dst = append(dst, n)
	}
	return dst, true
}

// index finds the row of a pair of symbols by their numbers; the row is 0 if the pair has no
// arcs.
type index struct {
	width int
	table []int32 // per x and y; nil if it would be much larger than the number of rows
	begin []int32 // per x: its rows are begin[x]+1, …, begin[x+1],
	y     []int32 // in ascending order of y, per row
}

// newIndex returns the index in which pair k, in ascending order, has row k+1.
func newIndex(xs, ys int, pairs [][2]int32) index {
	t := index{width: ys}
	const always = 1 << 16
	if xs*ys <= max(always, 8*len(pairs)) {
		t.table = make([]int32, xs*ys)
		for k, p := range pairs {
			t.table[int(p[0])*ys+int(p[1])] = int32(k + 1)
		}
		return t
	}
	t.begin = make([]int32, xs+1)
	t.y = make([]int32, len(pairs)+1)
	for k, p := range pairs {
		t.begin[p[0]+1] = int32(k + 1)
		t.y[k+1] = p[1]
	}
	for x := range xs { // symbols without a row
		t.begin[x+1] = max(t.begin[x+1], t.begin[x])
	}
	return t
}

// row returns the row of x and y.
func (t *index) row(x, y int32) int32 {
	if t.table != nil {
		return t.table[int(x)*t.width+int(y)]
	}
	lo, hi := int(t.begin[x])+1, int(t.begin[x+1])+1
	ys := t.y[lo:hi]
	if n := sort.Search(len(ys), func(n int) bool { return ys[n] >= y }); n < len(ys) && ys[n] == y {
		return int32(lo + n)
	}
	return 0
}

// rowsOf sets dst to the rows of x and each of y.
func (t *index) rowsOf(dst []int32, x int32, y []int32) {
	dst = dst[:len(y)]
	if t.table == nil {
		for j, y := range y {
			dst[j] = t.row(x, y)
		}
		return
	}
	of := t.table[int(x)*t.width:][:t.width]
	for j, y := range y {
		dst[j] = of[y]
	}
}
