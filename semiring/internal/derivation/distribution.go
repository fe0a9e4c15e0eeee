package derivation

import (
	"math"
	"math/rand/v2"

	"example.org/pathsum/internal/choice"
	"example.org/pathsum/semiring"
)

// Distribution is the probability distribution over derivations that draws each in proportion to
// its mass. In Scaled its masses cannot underflow.
type Distribution struct {
	*Source
	Entry, Option, End []semiring.ScaledFloat // masses; without ends, End is nil
	Inside             []semiring.ScaledFloat // per node: the mass of its derivations
	Total              semiring.ScaledFloat   // the mass of all; positive and finite
	// Posterior returns the expected numbers of uses.
	Posterior func() (Uses, error)
	// Solve replaces y, one number per node of Cycles[n] in order, by its sums over the ways
	// along the cycle: from heads to tails if down is set, else from tails to heads. It may be
	// nil if there is no cycle.
	Solve func(n int, y []semiring.ScaledFloat, down bool) error
}

// mass returns the mass of the derivations that take option e.
func (d *Distribution) mass(e int32) semiring.ScaledFloat {
	w, tails := d.Option[e], d.tails(e)
	if len(tails) == 0 {
		return w
	}
	w = w.Mul(d.Inside[tails[0]])
	if len(tails) == 1 {
		return w
	}
	rest := d.Inside[tails[1]]
	for _, u := range tails[2:] {
		rest = rest.Mul(d.Inside[u])
	}
	return w.Mul(rest)
}

// begin makes c the choice between the entries.
func (d *Distribution) begin(c *choice.Choice) {
	c.Clear()
	for i, w := range d.Entry {
		c.Add(w.Mul(d.Inside[d.Entries[i]]))
	}
	c.Divide()
}

// at makes c the choice between the options of node v and, if there are ends, its end as the
// last one.
func (d *Distribution) at(c *choice.Choice, v int32) {
	c.Clear()
	lo, hi := d.Row[v], d.Row[v+1]
	if d.Tail == nil { // a call less in the loop
		next := d.Tails[lo:hi]
		for i, w := range d.Option[lo:hi] {
			c.Add(w.Mul(d.Inside[next[i]]))
		}
	} else {
		for e := lo; e < hi; e++ {
			c.Add(d.mass(e))
		}
	}
	if d.End != nil {
		c.Add(d.End[v])
	}
	c.Divide()
}

// possible returns, per node, whether it belongs to some derivation.
func (d *Distribution) possible() []bool {
	derived, weighs := make([]bool, d.numNodes()), make([]bool, len(d.Option))
	for v, x := range d.Inside {
		derived[v] = !x.IsZero()
	}
	for e, w := range d.Option {
		weighs[e] = !w.IsZero()
	}
	var tops []int32
	for i, v := range d.Entries {
		if !d.Entry[i].IsZero() && derived[v] {
			tops = append(tops, v)
		}
	}
	return d.Below(tops, d.Complete(weighs, derived))
}

// compare returns the expected sum of a comparison of the choices of p and q, distributions over
// the same structure, in a derivation drawn from p. uses are the occurrences of nodes in p. They
// may underflow to 0 for a possible node; an infinite comparison at such a node still counts.
func compare(p, q *Distribution, uses []float64, local Comparison) float64 {
	a := new(choice.Choice)
	b := a
	if p.begin(a); p != q {
		b = new(choice.Choice)
		q.begin(b)
	}
	sum := local(a, b)
	var possible []bool // rarely needed
	for v, n := range uses {
		if n == 0 {
			if possible == nil {
				possible = p.possible()
			}
			if !possible[v] {
				continue
			}
		}
		if p.at(a, int32(v)); p != q {
			q.at(b, int32(v))
		}
		switch x := local(a, b); {
		case n != 0:
			sum += n * x
		case math.IsInf(x, 1):
			return x
		}
	}
	return sum
}

// Sampler draws random derivations, one choice after the other. It is immutable.
type Sampler struct {
	row []int32
	// Cumulative sums of probabilities: per entry, and per option of its node. top, per node,
	// includes the end; nil: there are no ends.
	entry, option, top []float64
}

// NewSampler returns a sampler of d. It takes 8 bytes per option.
func NewSampler(d *Distribution) *Sampler {
	s := &Sampler{
		row:    d.Row,
		entry:  make([]float64, len(d.Entry)),
		option: make([]float64, len(d.Option)),
	}
	if d.End != nil {
		s.top = make([]float64, d.numNodes())
	}
	var c choice.Choice
	d.begin(&c)
	choice.Accumulate(s.entry, c.Share)
	for v := range int32(d.numNodes()) {
		d.at(&c, v)
		top := choice.Accumulate(s.option[d.Row[v]:d.Row[v+1]], c.Share)
		if s.top != nil {
			s.top[v] = top
		}
	}
	return s
}

// Entry draws an entry.
func (s *Sampler) Entry(r *rand.Rand) int {
	return choice.First(s.entry, r.Float64()*s.entry[len(s.entry)-1])
}

// Option draws an option of node v; −1 is its end.
func (s *Sampler) Option(v int32, r *rand.Rand) int32 {
	lo, hi := s.row[v], s.row[v+1]
	sums := s.option[lo:hi]
	if s.top == nil {
		return lo + int32(choice.First(sums, r.Float64()*sums[len(sums)-1]))
	}
	if e := lo + int32(choice.First(sums, r.Float64()*s.top[v])); e < hi {
		return e
	}
	return -1
}
