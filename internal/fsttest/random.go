package fsttest

import (
	"math/rand/v2"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// Shape bounds a random machine.
type Shape struct {
	States  int     // at least 1
	Arcs    int     // at most
	Labels  int     // labels are 1 … Labels
	Epsilon float64 // probability of ε, for each label independently
	Acyclic bool    // arcs go from a state to a later one
	Plain   bool    // start and final weights are One
}

// Rand returns the source of random numbers for a seed.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x2545f4914f6cdd1d)) }

// New returns a random machine in which every arc, and unless it is plain every start and final
// weight, is a distinct letter, numbered from *letters on. It has one or two starts, final
// states, parallel arcs, dead ends, unreachable states and, unless it is acyclic, cycles,
// including ε-cycles.
func New(r *rand.Rand, ring semiring.Semiring[Series], shape Shape, letters *int) *fst.FST[Series] {
	next := func() Series {
		*letters++
		return Letter(*letters - 1)
	}
	end := func() Series {
		if shape.Plain {
			return ring.One()
		}
		return next()
	}
	label := func() int32 {
		if r.Float64() < shape.Epsilon {
			return fst.Epsilon
		}
		return int32(1 + r.IntN(shape.Labels))
	}
	b := fst.NewBuilder(ring)
	b.AllowZero()
	n := int32(1 + r.IntN(shape.States))
	b.AddStates(int(n))
	for range r.IntN(shape.Arcs + 1) {
		s, t := r.Int32N(n), r.Int32N(n)
		if shape.Acyclic {
			if s == t {
				continue
			}
			s, t = min(s, t), max(s, t)
		}
		b.AddArc(s, fst.Arc[Series]{In: label(), Out: label(), To: t, Weight: next()})
	}
	for range 1 + r.IntN(2) {
		b.AddStart(r.Int32N(n/2+1), end())
	}
	for s := range n {
		if s == n-1 || r.IntN(3) == 0 {
			b.SetFinal(s, end())
		}
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return f
}

// Opaque is a machine of an unknown type that numbers its states in its own way.
type Opaque[W any] struct{ Machine fst.Machine[W] }

func (Opaque[W]) outside(s int32) int32 { return 7*s + 3 }
func (Opaque[W]) inside(s int32) int32  { return (s - 3) / 7 }

// Semiring returns the ring of the machine.
func (o Opaque[W]) Semiring() semiring.Semiring[W] { return o.Machine.Semiring() }

// AppendStarts appends the machine's starts.
func (o Opaque[W]) AppendStarts(dst []fst.Start[W]) []fst.Start[W] {
	for _, s := range o.Machine.AppendStarts(nil) {
		dst = append(dst, fst.Start[W]{State: o.outside(s.State), Weight: s.Weight})
	}
	return dst
}

// Final returns the machine's final weight.
func (o Opaque[W]) Final(s int32) W { return o.Machine.Final(o.inside(s)) }

// AppendArcs appends the machine's arcs.
func (o Opaque[W]) AppendArcs(dst []fst.Arc[W], s int32) []fst.Arc[W] {
	for _, a := range o.Machine.AppendArcs(nil, o.inside(s)) {
		a.To = o.outside(a.To)
		dst = append(dst, a)
	}
	return dst
}
