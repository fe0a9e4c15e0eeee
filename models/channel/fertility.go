package channel

import (
	"fmt"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Fertility is a channel in which every symbol is independently replaced by zero, one or two
// symbols, and single symbols may be inserted before each and at the end. It is conditional: the
// probabilities of all targets of a source sum to 1.
type Fertility struct {
	Machine *fst.FST[expr.W]
	// Coin decides whether to insert (parameter 0) or not (1). Inserted chooses the symbol:
	// parameter j is target[j].
	Coin, Inserted *em.Group
	// Symbols contains the distribution over the replacements of each source symbol, in the order
	// of source. With n = len(target), parameter 0 is deletion, 1+j is target[j] and 1+n+n·j+l is
	// target[j] target[l].
	Symbols []*em.Group
}

// FertilityStart contains the initial probabilities of a Fertility: Delete, One and Two for
// replacement by zero, one or two symbols, each divided evenly among the possibilities, and Insert
// for an insertion before a symbol. All four are positive; Delete, One and Two sum to 1.
type FertilityStart struct {
	Delete, One, Two float64
	Insert           float64
}

// NewFertility returns a Fertility from strings over source to strings over target, with its
// parameters in p, all estimated by law. The error wraps ErrInvalid for an invalid start.
//
// With s source and t target symbols there are s·(1 + t + t²) parameters besides the insertions, on
// 1 + s·t states.
func NewFertility(p *em.Params, name string, source, target []int32, start FertilityStart, law em.Law) (*Fertility, error) {
	nonnil.Check("channel: NewFertility", "parameters", p, "law", law)
	for _, v := range []float64{start.Delete, start.One, start.Two, start.Insert} {
		if !(v > 0 && v < 1) {
			return nil, nested.Errorf("channel: %w: start %+v, want numbers between 0 and 1", ErrInvalid, start)
		}
	}
	names := []string{name + "/insert", name + "/ε"}
	for _, i := range source {
		names = append(names, fmt.Sprintf("%s/%d", name, i))
	}
	for i, group := range names {
		if p.Find(group) != nil || slices.Contains(names[:min(i, 2)], group) {
			return nil, nested.Errorf("channel: %w: the group %s exists already; give this channel another name than %q", ErrInvalid, group, name)
		}
	}
	if x := slices.Sorted(slices.Values(source)); len(slices.Compact(x)) < len(source) {
		return nil, nested.Errorf("channel: %w: a source symbol occurs twice, want each once", ErrInvalid)
	}
	k := p.Space()
	m := machines.Exprs.NewBuilder(k)
	home := m.AddState()
	m.AddStart(home, k.One())
	n := len(target)

	c := &Fertility{Coin: p.Distribution(name+"/insert", 2, law), Inserted: p.Distribution(name+"/ε", n, law)}
	c.Coin.SetStart([]float64{start.Insert, 1 - start.Insert})
	for j, o := range target {
		m.AddArc(home, fst.Arc[expr.W]{Out: o, Weight: k.Times(c.Coin.Weight(0), c.Inserted.Weight(j)), To: home})
	}
	read := c.Coin.Weight(1)
	m.SetFinal(home, read)

	values := slices.Concat([]float64{start.Delete}, slices.Repeat([]float64{start.One / float64(n)}, n),
		slices.Repeat([]float64{start.Two / float64(n*n)}, n*n))
	for _, i := range source {
		g := p.Distribution(fmt.Sprintf("%s/%d", name, i), 1+n+n*n, law)
		g.SetStart(values)
		c.Symbols = append(c.Symbols, g)
		m.AddArc(home, fst.Arc[expr.W]{In: i, Weight: k.Times(read, g.Weight(0)), To: home})
		for j, o := range target {
			m.AddArc(home, fst.Arc[expr.W]{In: i, Out: o, Weight: k.Times(read, g.Weight(1+j)), To: home})
			// The first of two symbols leads to a state that remembers it and the input. The weight
			// of the pair is on the arc that leaves this state.
			first := m.AddState()
			m.AddArc(home, fst.Arc[expr.W]{In: i, Out: o, Weight: read, To: first})
			for l, o2 := range target {
				m.AddArc(first, fst.Arc[expr.W]{Out: o2, Weight: g.Weight(1 + n + j*n + l), To: home})
			}
		}
	}
	var err error
	c.Machine, err = m.Freeze()
	return c, err
}
