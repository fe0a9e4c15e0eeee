package fst

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// byteTable numbers strings of bytes 0, 1, 2, … in the order in which they come: by their
// hashes, over one array of bytes.
type byteTable struct {
	seed   maphash.Seed
	hashes keytable.Table[uint64]
	first  []int32 // per hash: a string that has it
	next   []int32 // per string: another one with the same hash, −1: none
	bytes  []byte
	end    []int // where each string ends in bytes
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

// number returns the number of key, and whether it is a new one.
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

// appendNumber appends four bytes that stand for n.
func appendNumber(dst []byte, n int32) []byte {
	return binary.NativeEndian.AppendUint32(dst, uint32(n))
}

// appendKey appends the key of w and its length, so that a string of such parts can be
// read from its end in one way only.
func appendKey[W any](dst []byte, keyer semiring.Keyer[W], w W, delta float64) []byte {
	n := len(dst)
	dst = keyer.AppendKey(dst, w, delta)
	return appendNumber(dst, int32(len(dst)-n))
}

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

// number returns the number of the pair (a, b), which at does not know: a new one
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
