// Package keytable numbers keys 0, 1, 2, … in insertion order.
package keytable

import (
	"math"
	"math/bits"
	"slices"
)

// Key is the type of the keys of a Table; see Pair for keys of two parts.
type Key interface{ int32 | uint64 }

// Table numbers keys: a hash table with open addressing, at most half full, over a list of the
// keys. Its zero value is empty. It is safe for concurrent reads without changes. It panics if
// there are more than 2³¹−1 keys.
//
// Keys that are consecutive, multiples of a power of two or pairs from a grid are mostly
// distributed more evenly than random ones, and hardly ever less evenly. Keys chosen to collide
// in one slot take linear time each.
type Table[K Key] struct {
	keys  []K
	slots []int32 // a power of two of them, or empty: number of a key + 1, or 0
	room  int     // the least number of keys for which the next slots are made
	shift uint8
}

// Keys returns the keys; key number n is Keys()[n]. They are valid until the next change and
// must not be modified.
func (t *Table[K]) Keys() []K { return t.keys }

// Find returns the number of key, −1 for an unknown key. O(1) in the mean.
func (t *Table[K]) Find(key K) int32 {
	mask := len(t.slots) - 1
	if mask < 0 {
		return -1
	}
	for i := t.slot(key); ; i++ {
		n := t.slots[i&mask] - 1
		if n < 0 || t.keys[n] == key {
			return n
		}
	}
}

// Number returns the number of key, and whether it is new; a new key gets the next number. O(1)
// in the mean, amortized over many calls.
func (t *Table[K]) Number(key K) (n int32, fresh bool) {
	if 2*len(t.keys) >= len(t.slots) {
		t.grow()
	}
	mask := len(t.slots) - 1
	for i := t.slot(key); ; i++ {
		slot := &t.slots[i&mask]
		if *slot == 0 {
			n = t.append(key)
			*slot = n + 1
			return n, true
		}
		if t.keys[*slot-1] == key {
			return *slot - 1, false
		}
	}
}

// List gives a new key the next number, for callers that find it by other means: Find finds no
// key until the next call of Number. It takes less time and memory than Number.
func (t *Table[K]) List(key K) int32 {
	t.slots = t.slots[:0]
	return t.append(key)
}

func (t *Table[K]) append(key K) int32 {
	n := len(t.keys)
	if n == math.MaxInt32 {
		panic("keytable: more than 2³¹−1 keys")
	}
	t.keys = append(t.keys, key)
	return int32(n)
}

// Grow makes room for n keys, so that tables of a known size are allocated once.
func (t *Table[K]) Grow(n int) {
	t.keys = slices.Grow(t.keys, n)
	t.room = max(t.room, len(t.keys)+n)
}

// Reset empties the table and keeps the memory. The next call of Number clears slots for the
// former number of keys, which takes less time than numbering them did.
func (t *Table[K]) Reset() {
	if len(t.slots) > 0 {
		t.room = len(t.keys)
	}
	t.slots = t.slots[:0]
	t.keys = t.keys[:0]
}

// slot returns the first slot of the search for a key: the upper bits of the key times factor.
func (t *Table[K]) slot(key K) int { return int(uint64(key) * factor >> (t.shift & 63)) }

// factor has 1/ρ and 1/ρ² in its halves, where the plastic ratio ρ is the root of x³ = x + 1.
// For the pairs (a, b) of a grid the fractional parts of a/ρ² + b/ρ are well separated, and so
// are those for a or b alone: Roberts, "The unreasonable effectiveness of quasirandom
// sequences" (2018).
const factor = 0xC13FA9A9_91E10DA5

// grow makes slots for all keys and at least one more.
func (t *Table[K]) grow() {
	t.open(max(len(t.keys)+1, t.room))
	t.room = 0
	mask := len(t.slots) - 1
	for n, key := range t.keys {
		i := t.slot(key)
		for t.slots[i&mask] != 0 {
			i++
		}
		t.slots[i&mask] = int32(n + 1)
	}
}

// minSlots is the least number of slots.
const minSlots = 64

// open makes empty slots for n keys.
func (t *Table[K]) open(n int) {
	size := 1 << bits.Len(uint(max(2*n, minSlots)-1))
	if size > cap(t.slots) {
		t.slots = make([]int32, size)
	} else {
		t.slots = t.slots[:size]
		clear(t.slots)
	}
	t.shift = uint8(64 - bits.TrailingZeros(uint(size)))
}

// Pair returns the key of a and b.
func Pair(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// Unpair returns the arguments of Pair.
func Unpair(key uint64) (a, b int32) { return int32(key >> 32), int32(key) }
