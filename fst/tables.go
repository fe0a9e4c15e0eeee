package fst

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// byteTable numbers byte strings 0, 1, 2, … in insertion order. It finds them by hash, and
// stores them in one array of bytes.
type byteTable struct {
	seed   maphash.Seed
	hashes keytable.Table[uint64]
	first  []int32 // per hash: the first string of its list
	next   []int32 // per string: the next one with the same hash, −1: none
	bytes  []byte
	end    []int // per string: its end in bytes
}

func newByteTable() *byteTable { return &byteTable{seed: maphash.MakeSeed()} }

func (t *byteTable) len() int { return len(t.end) }

// at returns string number n.
func (t *byteTable) at(n int32) []byte {
	lo := 0
	if n > 0 {
		lo = t.end[n-1]
	}
	return t.bytes[lo:t.end[n]]
}

// number returns the number of key, and whether key is new.
func (t *byteTable) number(key []byte) (n int32, isNew bool) {
	h, isNew := t.hashes.Number(maphash.Bytes(t.seed, key))
	if isNew {
		t.first = append(t.first, -1)
	}
	for n := t.first[h]; n >= 0; n = t.next[n] {
		if bytes.Equal(t.at(n), key) {
			return n, false
		}
	}
	n = int32(t.len())
	t.bytes, t.next = append(t.bytes, key...), append(t.next, t.first[h])
	t.end, t.first[h] = append(t.end, len(t.bytes)), n
	return n, true
}

// appendNumber appends the four bytes of n.
func appendNumber(dst []byte, n int32) []byte {
	return binary.NativeEndian.AppendUint32(dst, uint32(n))
}

// appendKey appends the key of w and its length. A concatenation of such parts can be parsed
// from its end in only one way.
func appendKey[W any](dst []byte, keyer semiring.Keyer[W], w W, delta float64) []byte {
	n := len(dst)
	dst = keyer.AppendKey(dst, w, delta)
	return appendNumber(dst, int32(len(dst)-n))
}

// pairTable numbers pairs (a, b), 0 ≤ a < 2³¹ and 0 ≤ b < 2³², in insertion order.
type pairTable struct {
	table keytable.Table[uint64] // all pairs; finds their numbers only while hashed
	// If the pairs are dense enough, direct[a·strideA + b·strideB] is the number + 1 of the
	// pair (a, b), or 0. The stride of the component with the lower bound is 1. Both strides
	// are 0 while the hash table is in use instead.
	direct           []int32
	strideA, strideB int64
	boundA, boundB   int64
	many             int64 // the number of pairs that justifies a direct table of all cells
}

// A direct table is dropped if it has more than sparse cells per pair, and restored when all
// cells are at most dense per pair.
const (
	sparse = 32
	dense  = 8
)

// minCells is the minimum number of cells of a direct table.
const minCells = 64

// reset empties the table for a < na and b < nb. The bounds need not be tight.
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

// at returns the number of the pair (a, b). It returns −1 if the direct table has no number for
// it; then call number.
func (t *pairTable) at(a int32, b int64) int32 {
	if i := int64(a)*t.strideA + b*t.strideB; i < int64(len(t.direct)) {
		return t.direct[i] - 1
	}
	return -1
}

// number returns the number of the pair (a, b), for which at returned −1. A pair without a
// number gets a new one.
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

// hashed reports whether a pair for which at returns −1 may have a number.
func (t *pairTable) hashed() bool { return t.strideB == 0 }

func pairKey(a int32, b int64) uint64 { return keytable.Pair(a, int32(b)) }

// add assigns a number to a pair without one.
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

// filled restores the direct table if the hash table contains enough pairs.
func (t *pairTable) filled() {
	if int64(t.len()) >= t.many {
		t.complete()
	}
}

// complete builds a direct table of all cells from the pairs in the hash table, which is then
// no longer needed. Pairs that are sparse at first may become dense later.
func (t *pairTable) complete() {
	t.stride()
	t.direct = resize(t.direct, int(t.boundA*t.boundB))
	clear(t.direct)
	for n := range int32(t.len()) {
		a, b := t.pair(n)
		t.direct[int64(a)*t.strideA+b*t.strideB] = n + 1
	}
}

// widen extends the direct table to include cell i. If the table would be nearly empty, it is
// dropped for the hash table, and widen returns false.
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
