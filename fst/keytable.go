package fst

import "math/bits"

// keyTable numbers keys 0, 1, 2, … in the order in which they are added. It is a
// hash table with open addressing, at most half full, over a list of the keys.
type keyTable struct {
	keys  []uint64
	slots []int32 // a power of two of them: number of a key + 1, or 0
	shift uint8
}

const minSlots = 64

func (t *keyTable) slot(key uint64) int { return int(key * 0x9E3779B97F4A7C15 >> t.shift) }

// find returns the number of key, −1 if it has none.
func (t *keyTable) find(key uint64) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	mask := len(t.slots) - 1
	for i := t.slot(key); ; i++ {
		n := t.slots[i&mask] - 1
		if n < 0 || t.keys[n] == key {
			return n
		}
	}
}

// add numbers a key that is not in the table.
func (t *keyTable) add(key uint64) int32 {
	t.keys = append(t.keys, key)
	if 2*len(t.keys) > len(t.slots) {
		t.rebuild(max(minSlots, 2*len(t.slots)))
	} else {
		t.put(key, int32(len(t.keys)))
	}
	return int32(len(t.keys) - 1)
}

func (t *keyTable) put(key uint64, n int32) {
	mask := len(t.slots) - 1
	i := t.slot(key)
	for t.slots[i&mask] != 0 {
		i++
	}
	t.slots[i&mask] = n
}

// rebuild gives the table another number of slots, a power of two.
func (t *keyTable) rebuild(slots int) {
	t.slots = resize(t.slots[:0], slots)
	clear(t.slots)
	t.shift = uint8(64 - bits.TrailingZeros(uint(slots)))
	for n, key := range t.keys {
		t.put(key, int32(n+1))
	}
}

// reset empties the table, keeping the memory; it is small again, so that
// clearing it costs as much as what will be in it.
func (t *keyTable) reset() {
	t.keys = t.keys[:0]
	t.slots = t.slots[:0]
}

// pairTable numbers pairs (a, b), 0 ≤ a < 2³¹ and 0 ≤ b < 2³², in the order in
// which they are added.
type pairTable struct {
	table keyTable // a in the upper half of a key, b in the lower
	// Where it is not too empty, direct[a·strideA + b·strideB] is the number + 1
	// of the pair (a, b), or 0; the stride of the one with the lower bound is 1.
	// Both are 0 while the hash table has taken over.
	direct           []int32
	strideA, strideB int64
	boundA, boundB   int64
}

// A direct table is given up for more than sparse cells per pair, and comes back when
// all cells are no more than dense per pair.
const (
	sparse = 32
	dense  = 8
)

// reset empties the table for a < na and b < nb. Bounds may be generous.
func (t *pairTable) reset(na, nb int64) {
	t.table.reset()
	t.direct = t.direct[:0]
	t.boundA, t.boundB = na, nb
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

func (t *pairTable) len() int { return len(t.table.keys) }

// pair returns pair number n.
func (t *pairTable) pair(n int32) (a int32, b int64) {
	key := t.table.keys[n]
	return int32(key >> 32), int64(uint32(key))
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
	if t.hashed() {
		if n := t.table.find(pairKey(a, b)); n >= 0 {
			return n
		}
	}
	return t.add(a, b)
}

// hashed reports whether a pair that at does not know may have a number.
func (t *pairTable) hashed() bool { return t.strideB == 0 }

func pairKey(a int32, b int64) uint64 { return uint64(a)<<32 | uint64(b) }

// add numbers a pair that has no number.
func (t *pairTable) add(a int32, b int64) int32 {
	if t.len() == maxLimit {
		panic("fst: a composition has more than 2³¹−1 states")
	}
	if !t.hashed() {
		if i := int64(a)*t.strideA + b*t.strideB; i < int64(len(t.direct)) || t.widen(i) {
			t.table.keys = append(t.table.keys, pairKey(a, b))
			t.direct[i] = int32(t.len())
			return int32(t.len() - 1)
		}
	}
	n := t.table.add(pairKey(a, b))
	if t.boundA <= dense*int64(t.len())/t.boundB {
		t.complete()
	}
	return n
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
	t.table.slots = t.table.slots[:0]
}

// widen makes the direct table include cell i, or drops it for the hash table if
// it would be nearly empty.
func (t *pairTable) widen(i int64) bool {
	old := len(t.direct)
	size := max(i+1, 2*int64(old), minSlots)
	if size > sparse*(int64(t.len())+minSlots) {
		t.direct, t.strideA, t.strideB = t.direct[:0], 0, 0
		slots := minSlots
		for slots < 2*t.len() {
			slots *= 2
		}
		t.table.rebuild(slots)
		return false
	}
	t.direct = resize(t.direct, int(size))
	clear(t.direct[old:])
	return true
}
