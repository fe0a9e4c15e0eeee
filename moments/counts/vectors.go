package counts

import (
	"math/bits"
	"slices"
)

// vectors numbers vectors of counts 0, 1, 2, … in the order in which they are met. A
// vector's key is linear, so that the one of a vector with less of one element is a
// subtraction away: a number whose digits are the counts. If that has more than 64 bits,
// keys are equal now and then.
type vectors struct {
	size   int
	unique bool     // no two vectors have the same key
	unit   []uint64 // per element: what one of it adds to the key
	count  []int32  // per vector and element
	key    []uint64 // per vector
	tables []table  // by the sum of the vectors in it, so that a search by layers looks in a small one
}

// table finds vectors by their keys: open addressing, at most half full.
type table struct {
	slots []slot // a power of two of them
	shift uint8
	used  int
}

// slot is a vector's key and number + 1; 0: there is none.
type slot struct {
	key    uint64
	number int32
}

// reset forgets all vectors but the one given, which is number 0: no other has more of any
// element.
func (v *vectors) reset(first []int32) {
	v.size, v.unique, v.unit = len(first), true, v.unit[:0]
	unit, key, sum := uint64(1), uint64(0), 0
	for _, n := range first {
		v.unit = append(v.unit, unit)
		key += uint64(n) * unit
		sum += int(n)
		hi, lo := bits.Mul64(unit, uint64(n)+1)
		if hi > 0 {
			v.unique, lo = false, lo|1 // an odd unit is never a divisor of 0
		}
		unit = lo
	}
	for len(v.tables) < sum {
		v.tables = append(v.tables, table{slots: make([]slot, 64), shift: 64 - 6})
	}
	for i := range v.tables[:sum] {
		clear(v.tables[i].slots)
		v.tables[i].used = 0
	}
	v.count, v.key = append(v.count[:0], first...), append(v.key[:0], key)
}

// at returns vector s, not to be modified.
func (v *vectors) at(s int32) []int32 { return v.count[int(s)*v.size:][:v.size] }

// sum returns the sum of vector s.
func (v *vectors) sum(s int32) int {
	sum := int32(0)
	for _, n := range v.at(s) {
		sum += n
	}
	return int(sum)
}

// less returns the number of vector s, whose sum is given, with one less of element k. The
// vector has at least one.
func (v *vectors) less(s int32, sum, k int) int32 {
	key, in := v.key[s]-v.unit[k], &v.tables[sum-1]
	i, mask := in.place(key), len(in.slots)-1
	for ; in.slots[i].number != 0; i = (i + 1) & mask {
		if t := in.slots[i].number - 1; in.slots[i].key == key && (v.unique || v.isLess(t, s, k)) {
			return t
		}
	}
	t := int32(len(v.key))
	v.count, v.key = append(v.count, v.at(s)...), append(v.key, key)
	v.at(t)[k]--
	in.set(i, slot{key, t + 1})
	return t
}

// isLess reports whether vector t is vector s with one less of element k.
func (v *vectors) isLess(t, s int32, k int) bool {
	a, b := v.at(t), v.at(s)
	return slices.Equal(a[:k], b[:k]) && a[k] == b[k]-1 && slices.Equal(a[k+1:], b[k+1:])
}

// place returns where to look for a key first: by the high bits of its product with 2⁶⁴
// divided by the golden ratio.
func (t *table) place(key uint64) int { return int(key * 0x9E3779B97F4A7C15 >> t.shift) }

// set fills free slot i.
func (t *table) set(i int, x slot) {
	t.slots[i] = x
	if t.used++; 2*t.used <= len(t.slots) {
		return
	}
	old := t.slots
	t.slots, t.shift = make([]slot, 2*len(old)), t.shift-1
	for _, x := range old {
		if x.number == 0 {
			continue
		}
		i := t.place(x.key)
		for t.slots[i].number != 0 {
			i = (i + 1) & (len(t.slots) - 1)
		}
		t.slots[i] = x
	}
}
