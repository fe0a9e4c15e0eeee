package pairgram

import (
	"math/bits"
	"slices"

	"example.org/pathsum/internal/keytable"
)

// bundles contains the features of arcs in one chain of links. A bundle has the features of one
// link. Arcs of a source that agree up to a link share its bundle: of the firings on the arcs of
// English words, less than half remain.
//
// A bundle and an arc have the number of the bundle of the link before, or of the last link; −1
// stands for none.
type bundles struct {
	last []int32 // per arc
	new  []link  // bundles whose features are not numbered yet

	// Bundle n has the features fired[row[n]:row[n+1]], and before[n] precedes it.
	before, row, fired []int32
}

// link is a link of a chain. The features of a bundle are those of the link of any of its arcs.
type link struct{ before, arc, link int32 }

// reset makes b ready for new bundles and keeps the memory.
func (b *bundles) reset() {
	b.last, b.new = b.last[:0], b.new[:0]
}

// divider numbers the links of the chains of a source.
type divider [chains]keytable.Table[uint64]

// divide appends the bundles of the arcs of a source to all. The arcs have the numbers first,
// first + 1, …; chunk has the chunk of each.
func (d *divider) divide(all *[chains]bundles, arcs []arc, chunk []int32, first int32) {
	var start, n [chains]int32
	for chain := range all {
		d[chain].Reset()
		start[chain] = int32(len(all[chain].new))
	}
	for e := range arcs {
		a := &arcs[e]
		add := func(chain, i int, key uint64, before int32) {
			number, fresh := d[chain].Number(key)
			if fresh {
				all[chain].new = append(all[chain].new, link{before, first + int32(e), int32(i)})
			}
			n[chain] = number
		}
		for chain := range n {
			add(chain, 0, keytable.Pair(^chunk[e], a.after), -1) // the number of a link is not negative
			for i := 1; i < links; i++ {
				name := a.names[i]
				if chain == chainTargets {
					name = a.said[i-1]
				}
				add(chain, i, keytable.Pair(n[chain], int32(name)), start[chain]+n[chain])
			}
			all[chain].last = append(all[chain].last, start[chain]+n[chain])
		}
	}
}

// number replaces the features of new bundles by their numbers in x, and leaves out unknown
// features. Unless often is nil, it first adds to x the features that may fire often enough.
func (b *bundles) number(chain int, arcs []arc, sources []int32, x *index, often *sketch) {
	b.before, b.row, b.fired = b.before[:0], append(b.row[:0], 0), b.fired[:0]
	var hashes [features]uint64
	for _, l := range b.new {
		for _, hash := range arcs[l.arc].appendHashes(hashes[:0], chain, int(l.link), sources) {
			k := int32(-1)
			if often == nil {
				k = x.Find(hash)
			} else if often.least(hash) {
				k, _ = x.Number(hash)
			}
			if k >= 0 {
				b.fired = append(b.fired, k)
			}
		}
		b.before, b.row = append(b.before, l.before), append(b.row, int32(len(b.fired)))
	}
}

// sketch counts the bundles with a feature, up to support, together with other features that have
// the same cell of two bits. It spares rare features, which are most, a place in an index.
type sketch struct {
	cells []uint8 // of four features each
	shift int
}

// newSketch returns a sketch for n bundles.
func newSketch(n int) *sketch {
	size := bits.Len(uint(n))
	return &sketch{make([]uint8, 1<<size), 64 - size}
}

// cell returns the cell of a feature, and the number of its lowest bit.
func (s *sketch) cell(hash uint64) (cell *uint8, bit uint64) {
	return &s.cells[hash>>s.shift], 2 * (hash % 4)
}

// add counts the features of new bundles.
func (s *sketch) add(b *bundles, chain int, arcs []arc, sources []int32) {
	var hashes [features]uint64
	for _, l := range b.new {
		for _, hash := range arcs[l.arc].appendHashes(hashes[:0], chain, int(l.link), sources) {
			if cell, bit := s.cell(hash); *cell>>bit%4 < support {
				*cell += 1 << bit
			}
		}
	}
}

// least reports whether a feature may be in at least support bundles.
func (s *sketch) least(hash uint64) bool {
	cell, bit := s.cell(hash)
	return *cell>>bit%4 == support
}

// reduce leaves out negative features. A bundle without features is replaced by the bundle before
// it.
func (b *bundles) reduce() {
	to := make([]int32, len(b.before)+1) // the new number of bundle n is to[n+1]
	to[0] = -1
	bundles, fired, first := int32(0), int32(0), int32(0)
	for n, before := range b.before {
		begin, end := fired, b.row[n+1]
		for _, k := range b.fired[first:end] {
			if k >= 0 {
				b.fired[fired] = k
				fired++
			}
		}
		first = end
		if to[n+1] = to[before+1]; fired > begin {
			b.before[bundles], b.row[bundles+1] = to[before+1], fired
			to[n+1] = bundles
			bundles++
		}
	}
	b.before, b.row, b.fired = b.before[:bundles], b.row[:bundles+1], b.fired[:fired]
	for i, n := range b.last {
		b.last[i] = to[n+1]
	}
}

// appendSums appends 0 and, for each bundle, the sum of its strengths and the strengths of the
// bundles before it.
func (b *bundles) appendSums(dst, strength []float64) []float64 {
	base, first := len(dst), int32(0)
	dst = append(dst, 0)
	for n, before := range b.before {
		sum, end := dst[base+int(before)+1], b.row[n+1]
		for _, k := range b.fired[first:end] {
			sum += strength[k]
		}
		dst, first = append(dst, sum), end
	}
	return dst
}

// addFirings adds the expected numbers of firings of strengths to counts, given the number of uses
// of each arc. It returns scratch storage for the next call.
func (b *bundles) addFirings(counts, uses, scratch []float64) []float64 {
	scratch = append(scratch[:0], make([]float64, len(b.before)+1)...)
	for i, n := range b.last {
		scratch[n+1] += uses[i]
	}
	for n, before := range slices.Backward(b.before) {
		scratch[before+1] += scratch[n+1]
	}
	first := int32(0)
	for n, c := range scratch[1:] {
		end := b.row[n+1]
		for _, k := range b.fired[first:end] {
			counts[k] += c
		}
		first = end
	}
	return scratch
}
