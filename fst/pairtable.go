package fst

import "example.org/pathsum/internal/keytable"

// pairTable numbers pairs (a, b), 0 ≤ a < 2³¹ and 0 ≤ b < 2³², in the order in
// which they are added.
type pairTable struct {
	table keytable.Table[uint64] // of all pairs, which it finds while hashed
	// Where it is not too empty, direct[a·strideA + b·strideB] is the number + 1
	// of the pair (a, b), or 0; the stride of the one with the lower bound is 1.
	// Both are 0 while the hash table has taken over.
	direct           []int32
	strideA, strideB int64
	boundA, boundB   int64
	many             int64 // how many pairs are enough for a direct table of all cells
}

// A direct table is given up for more than sparse cells per pair, and comes back when
// all cells are no more than dense per pair.
const (
	sparse = 32
	dense  = 8
)

// minCells is the least number of cells of a direct table.
const minCells = 64

// reset empties the table for a < na and b < nb. Bounds may be generous.
func (t *pairTable) reset(na, nb int64) {
	t.table.Reset()
	t.direct = t.direct[:0]
	t.boundA, t.boundB = na, nb
	t.many = int64((uint64(na)*uint64(nb) + dense - 1) / dense)
	t.stride()
}

// stride sets the strides of the direct table.
func (t *pairTable) stride() {
	if t.boundB <= t.boundA {
		t.strideA, t.strideB = t.boundB, 1
	} else {
		t.strideA, t.strideB = 1, t.boundA
	}
}

func (t *pairTable) len() int { return len(t.table.Keys()) }

// pair returns pair number n.
func (t *pairTable) pair(n int32) (a int32, b int64) {
	a, low := keytable.Unpair(t.table.Keys()[n])
	return a, int64(uint32(low))
}

// at returns the number of the pair (a, b), or −1 if number has to be asked.
func (t *pairTable) at(a int32, b int64) int32 {
	if i := int64(a)*t.strideA + b*t.strideB; i < int64(len(t.direct)) {
		return t.direct[i] - 1
	}
	return -1
}

// number returns the number of the pair (a, b), of which at knows none: a new one
// if it has none.
func (t *pairTable) number(a int32, b int64) int32 {
	if !t.hashed() {
		return t.add(a, b)
	}
	n, fresh := t.table.Number(pairKey(a, b))
	if fresh {
		t.filled()
	}
	return n
}

// hashed reports whether a pair that at does not know may have a number.
func (t *pairTable) hashed() bool { return t.strideB == 0 }

func pairKey(a int32, b int64) uint64 { return keytable.Pair(a, int32(b)) }

// add numbers a pair that has no number.
func (t *pairTable) add(a int32, b int64) int32 {
	if !t.hashed() {
		if i := int64(a)*t.strideA + b*t.strideB; i < int64(len(t.direct)) || t.widen(i) {
			n := t.table.List(pairKey(a, b))
			t.direct[i] = n + 1
			return n
		}
	}
	n, _ := t.table.Number(pairKey(a, b))
	t.filled()
	return n
}

// filled makes a direct table again if the hash table has come to hold most pairs.
func (t *pairTable) filled() {
	if int64(t.len()) >= t.many {
		t.complete()
	}
}

// complete makes a direct table of all cells, of the pairs in the hash table, which
// is no longer needed. Pairs that come far apart at first may fill it well in the end.
func (t *pairTable) complete() {
	t.stride()
	t.direct = resize(t.direct, int(t.boundA*t.boundB))
	clear(t.direct)
	for n := range int32(t.len()) {
		a, b := t.pair(n)
		t.direct[int64(a)*t.strideA+b*t.strideB] = n + 1
	}
}

// widen makes the direct table include cell i, or drops it for the hash table if
// it would be nearly empty.
func (t *pairTable) widen(i int64) bool {
	old := len(t.direct)
	size := max(i+1, 2*int64(old), minCells)
	if size > sparse*(int64(t.len())+minCells) {
		t.direct, t.strideA, t.strideB = t.direct[:0], 0, 0
		return false
	}
	t.direct = resize(t.direct, int(size))
	clear(t.direct[old:])
	return true
}
