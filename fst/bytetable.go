package fst

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"example.org/pathsum/semiring"
)

// byteTable numbers strings of bytes 0, 1, 2, … in the order in which they come: a
// hash table with open addressing, at most half full, over one array of bytes.
type byteTable struct {
	seed  maphash.Seed
	bytes []byte
	end   []int    // where each string ends in bytes
	hash  []uint32 // of each string
	slots []int32  // a power of two of them: number of a string + 1, or 0
}

func newByteTable() *byteTable {
	return &byteTable{seed: maphash.MakeSeed(), slots: make([]int32, 64)}
}

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
	h := uint32(maphash.Bytes(t.seed, key))
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		n := t.slots[i] - 1
		if t.hash[n] == h && bytes.Equal(t.at(n), key) {
			return n, false
		}
		i = (i + 1) & mask
	}
	t.bytes = append(t.bytes, key...)
	t.end = append(t.end, len(t.bytes))
	t.hash = append(t.hash, h)
	t.slots[i] = int32(len(t.end))
	if 2*len(t.end) > len(t.slots) {
		t.grow()
	}
	return int32(len(t.end) - 1), true
}

// grow doubles the number of slots.
func (t *byteTable) grow() {
	t.slots = make([]int32, 2*len(t.slots))
	mask := uint32(len(t.slots) - 1)
	for n, h := range t.hash {
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = int32(n + 1)
	}
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
