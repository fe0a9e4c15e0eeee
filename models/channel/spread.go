package channel

import (
	"fmt"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// SpreadStart is how the start of Spread shares the probability of a symbol:
// what becomes of it, each evenly among the possibilities, and whether anything
// is inserted before it. The four numbers are positive; Delete, One and Two sum
// to 1.
type SpreadStart struct {
	Delete, One, Two float64
	Insert           float64
}

// Spread returns a channel in which every symbol of in independently becomes
// nothing, one or two symbols of out, and single symbols of out may be inserted
// before each and at the end. It is conditional: the probabilities of all
// outputs of an input sum to 1. For each input symbol one group of p, estimated
// by law, holds deletion, the single symbols and the pairs; further groups hold
// the insertions and the coin that decides whether to make one.
//
// There are |in|·(1 + |out| + |out|²) parameters besides the insertions, on
// 1 + |in|·|out| states.
func Spread(p *em.Params, name string, in, out []int32, start SpreadStart, law em.Parameterization) (*fst.FST[expr.W], error) {
	for _, v := range []float64{start.Delete, start.One, start.Two, start.Insert} {
		if !(v > 0 && v < 1) {
			return nil, fmt.Errorf("channel: start %+v: want numbers between 0 and 1", start)
		}
	}
	k := p.Space()
	m := fst.NewBuilder(semiring.Semiring[expr.W](k))
	home := m.AddState()
	m.AddStart(home, k.One())
	n := len(out)

	coin := p.Group(name+"/insert", 2, law)
	coin.SetStart([]float64{start.Insert, 1 - start.Insert})
	inserted := p.Group(name+"/ε", n, law)
	for j, o := range out {
		m.AddArc(home, fst.Arc[expr.W]{Out: o, Weight: k.Times(coin.Weight(0), inserted.Weight(j)), To: home})
	}
	read := coin.Weight(1)
	m.SetFinal(home, read)

	values := slices.Concat([]float64{start.Delete}, slices.Repeat([]float64{start.One / float64(n)}, n),
		slices.Repeat([]float64{start.Two / float64(n*n)}, n*n))
	for _, i := range in {
		g := p.Group(fmt.Sprintf("%s/%d", name, i), 1+n+n*n, law)
		g.SetStart(values)
		m.AddArc(home, fst.Arc[expr.W]{In: i, Weight: k.Times(read, g.Weight(0)), To: home})
		for j, o := range out {
			m.AddArc(home, fst.Arc[expr.W]{In: i, Out: o, Weight: k.Times(read, g.Weight(1+j)), To: home})
			// The first of two symbols leads to a state that remembers it and
			// the input; what the pair costs is paid on leaving.
			first := m.AddState()
			m.AddArc(home, fst.Arc[expr.W]{In: i, Out: o, Weight: read, To: first})
			for l, o2 := range out {
				m.AddArc(first, fst.Arc[expr.W]{Out: o2, Weight: g.Weight(1 + n + j*n + l), To: home})
			}
		}
	}
	return m.Freeze()
}
