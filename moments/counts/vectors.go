package counts

import (
	"math/bits"
	"slices"

	"example.org/pathsum/internal/keytable"
)

// vectors numbers vectors of counts 0, 1, 2, … in the order of their first occurrence. The key of a
// vector is a number whose digits are the counts. It is linear, so decrementing an element is a
// subtraction from the key. If keys need more than 64 bits, different vectors may have equal keys.
type vectors struct {
	size   int
	unique bool     // no two vectors have the same key
	unit   []uint64 // per element: the increment of the key
	count  []int32  // per vector and element
	key    []uint64 // per vector
	next   []int32  // per vector: another vector with the same key, or −1
	layers []layer  // by the sum of their vectors: a search by layers uses a small table
}

// layer finds vectors by their keys.
type layer struct {
	keys  keytable.Table[uint64]
	first []int32 // per key: a vector with that key
}

// reset removes all vectors and adds first as vector 0. No later vector has a greater element.
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
	for len(v.layers) < sum {
		v.layers = append(v.layers, layer{})
	}
	for i := range v.layers[:sum] {
		v.layers[i].keys.Reset()
		v.layers[i].first = v.layers[i].first[:0]
	}
	v.count, v.key, v.next = append(v.count[:0], first...), append(v.key[:0], key), append(v.next[:0], -1)
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

// less returns the number of the vector that is s with element k decremented; sum is the sum of s,
// and its element k must be positive.
func (v *vectors) less(s int32, sum, k int) int32 {
	key, in := v.key[s]-v.unit[k], &v.layers[sum-1]
	n, fresh := in.keys.Number(key)
	if fresh {
		in.first = append(in.first, -1)
	}
	for t := in.first[n]; t >= 0; t = v.next[t] {
		if v.unique || v.isLess(t, s, k) {
			return t
		}
	}
	t := int32(len(v.key))
	v.count, v.key, v.next = append(v.count, v.at(s)...), append(v.key, key), append(v.next, in.first[n])
	v.at(t)[k]--
	in.first[n] = t
	return t
}

// isLess reports whether vector t is vector s with element k decremented.
func (v *vectors) isLess(t, s int32, k int) bool {
	a, b := v.at(t), v.at(s)
	return slices.Equal(a[:k], b[:k]) && a[k] == b[k]-1 && slices.Equal(a[k+1:], b[k+1:])
}
