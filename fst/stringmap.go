package fst

import (
	"cmp"
	"fmt"
	"slices"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// StringMap returns the machine of the given pairs of strings: a trie, whose paths
// are those of FromPair, with what they begin with in common. A path has its weight at
// its end, where weights of equal pairs are added up. Labels 0 are left out. The
// error wraps ErrInvalid for a negative label or a weight that is not a number, and
// semiring.ErrLimit for more than 2³¹−1 states.
//
// A lexicon is a string map whose pairs have one word on both tapes. States are in
// depth-first order, arcs in the order of their labels. O(labels · log paths).
func StringMap[W any](ring semiring.Semiring[W], paths []Path[W]) (*FST[W], error) {
	nonnil.Check("fst: StringMap", "ring", ring)
	strings := make([]aligned[W], len(paths))
	for i, p := range paths {
		strings[i] = aligned[W]{compact(p.In), compact(p.Out), p.Weight}
		if slices.ContainsFunc(p.In, negative) || slices.ContainsFunc(p.Out, negative) {
			return nil, fmt.Errorf("fst: %w: path %d has a negative label", ErrInvalid, i)
		}
	}
	slices.SortStableFunc(strings, aligned[W].compare)
	b := NewBuilder(ring)
	at := []int32{b.AddState()} // the states along the last string
	b.AddStart(0, ring.One())
	var last aligned[W]
	for _, s := range strings {
		k := s.common(last)
		at = at[:k+1]
		for ; k < s.len(); k++ {
			in, out := s.label(k)
			to := b.AddState()
			b.AddArc(at[k], Arc[W]{In: in, Out: out, To: to, Weight: ring.One()})
			at = append(at, to)
		}
		b.SetFinal(at[k], ring.Plus(b.final[at[k]], s.weight))
		last = s
		if b.err != nil {
			break
		}
	}
	return b.Freeze()
}

func negative(label int32) bool { return label < 0 }

// compact returns labels without ε.
func compact(labels []int32) []int32 {
	if !slices.Contains(labels, Epsilon) {
		return labels
	}
	return slices.DeleteFunc(slices.Clone(labels), func(l int32) bool { return l == Epsilon })
}

// aligned is a pair of strings, read label by label; the shorter one goes on with ε.
type aligned[W any] struct {
	in, out []int32
	weight  W
}

func (a aligned[W]) len() int { return max(len(a.in), len(a.out)) }

func (a aligned[W]) label(k int) (in, out int32) { return labelAt(a.in, k), labelAt(a.out, k) }

// common returns the length of what a and b begin with.
func (a aligned[W]) common(b aligned[W]) int {
	n := min(a.len(), b.len())
	for k := range n {
		ai, ao := a.label(k)
		bi, bo := b.label(k)
		if ai != bi || ao != bo {
			return k
		}
	}
	return n
}

func (a aligned[W]) compare(b aligned[W]) int {
	k := a.common(b)
	if k == a.len() || k == b.len() {
		return cmp.Compare(a.len(), b.len())
	}
	ai, ao := a.label(k)
	bi, bo := b.label(k)
	return cmp.Or(cmp.Compare(ai, bi), cmp.Compare(ao, bo))
}
