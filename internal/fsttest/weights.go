package fsttest

import (
	"fmt"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// Weigher computes the weight of any pair of strings in a machine, by the definition: one
// matrix for the paths of ε-arcs, made by Kleene's algorithm, and one step per label. It shares
// no code with the tested package.
type Weigher[W any] struct {
	f        *fst.FST[W]
	acceptor bool
	epsilon  [][]W
}

// NewWeigher returns the Weigher of f, whose ring must be semiring.Closed. It panics if
// the cycles of ε-arcs have no sum.
func NewWeigher[W any](f *fst.FST[W]) *Weigher[W] {
	ring, n := f.Semiring(), f.NumStates()
	closed, err := semiring.RequireClosed(ring)
	if err != nil {
		panic(err)
	}
	d := make([][]W, n)
	for s := range d {
		d[s] = zeros(ring, n)
		for _, a := range f.AppendArcs(nil, int32(s)) {
			if a.In == fst.Epsilon && a.Out == fst.Epsilon {
				d[s][a.To] = ring.Plus(d[s][a.To], a.Weight)
			}
		}
	}
	for k := range d {
		star, ok := closed.Star(d[k][k])
		if !ok {
			panic(fmt.Sprintf("fsttest: no star of %v", d[k][k]))
		}
		next := make([][]W, n)
		for i := range d {
			next[i] = zeros(ring, n)
			for j := range d {
				next[i][j] = ring.Plus(d[i][j], ring.Times(d[i][k], ring.Times(star, d[k][j])))
			}
		}
		d = next
	}
	for s := range d {
		d[s][s] = ring.Plus(d[s][s], ring.One())
	}
	return &Weigher[W]{f, slices.Equal(f.In(), f.Out()), d}
}

func zeros[W any](ring semiring.Semiring[W], n int) []W {
	x := make([]W, n)
	for i := range x {
		x[i] = ring.Zero()
	}
	return x
}

// Weight returns the weight of the pair (in, out).
func (z *Weigher[W]) Weight(in, out []int32) W {
	ring, n := z.f.Semiring(), z.f.NumStates()
	if z.acceptor && !slices.Equal(in, out) {
		return ring.Zero()
	}
	beta := make([][][]W, len(in)+1)
	for i := len(in); i >= 0; i-- {
		beta[i] = make([][]W, len(out)+1)
		for j := len(out); j >= 0; j-- {
			if z.acceptor && i != j {
				continue // an acceptor reads what it writes
			}
			step := make([]W, n) // the weights after the ε-arcs
			for s := range step {
				step[s] = ring.Zero()
				if i == len(in) && j == len(out) {
					step[s] = z.f.Final(int32(s))
				}
				for _, a := range z.f.AppendArcs(nil, int32(s)) {
					p, x := match(in, i, a.In)
					q, y := match(out, j, a.Out)
					if x && y && p+q > i+j {
						step[s] = ring.Plus(step[s], ring.Times(a.Weight, beta[p][q][a.To]))
					}
				}
			}
			beta[i][j] = zeros(ring, n)
			for s := range n {
				for t := range n {
					beta[i][j][s] = ring.Plus(beta[i][j][s], ring.Times(z.epsilon[s][t], step[t]))
				}
			}
		}
	}
	sum := ring.Zero()
	for _, s := range z.f.AppendStarts(nil) {
		sum = ring.Plus(sum, ring.Times(s.Weight, beta[0][0][s.State]))
	}
	return sum
}

// match returns the position in a string after an arc with this label from position i, and
// false if the arc does not match there.
func match(s []int32, i int, label int32) (int, bool) {
	switch {
	case label == fst.Epsilon:
		return i, true
	case i < len(s) && s[i] == label:
		return i + 1, true
	}
	return 0, false
}

// Strings returns all strings of labels 1 … n of at most the given number of labels.
func Strings(n int32, length int) [][]int32 {
	all := [][]int32{nil}
	for i := 0; i < len(all); i++ {
		if len(all[i]) < length {
			for l := int32(1); l <= n; l++ {
				all = append(all, append(all[i][:len(all[i]):len(all[i])], l))
			}
		}
	}
	return all
}

// DiffWeights returns a difference between the weights of two machines for the pairs of strings
// of Strings(labels, length), for pairs of equal strings if both are acceptors. It returns ""
// if dist is at most tolerance for all pairs.
func DiffWeights[W any](got, want *fst.FST[W], labels int32, length int, dist func(a, b W) float64, tolerance float64) string {
	g, w := NewWeigher(got), NewWeigher(want)
	all := Strings(labels, length)
	acceptors := slices.Equal(got.In(), got.Out()) && slices.Equal(want.In(), want.Out())
	for i, x := range all {
		others := all
		if acceptors {
			others = all[i : i+1]
		}
		for _, y := range others {
			if a, b := g.Weight(x, y), w.Weight(x, y); !(dist(a, b) <= tolerance) {
				return fmt.Sprintf("(%v, %v) has %v, want %v", x, y, a, b)
			}
		}
	}
	return ""
}
