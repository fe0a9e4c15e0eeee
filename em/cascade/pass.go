package cascade

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/cells"
	"example.org/pathsum/em/internal/feed"
	"example.org/pathsum/em/internal/part"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// pass is what an E step over a corpus has in common for all shards.
type pass struct {
	eStep       em.EStep
	temperature float64
	theta       []semiring.ScaledFloat // of the parameters
	values      []semiring.ScaledFloat // of the handles of the Params' Space; NaN: not used
	tangents    []float64              // of these; nil: no second derivatives
	without     []em.Skipped           // examples to be left out, in order
	feed        *feeder                // nil: the source needs none
	ways        uint                   // bit n: way n is taken
	own         *byte                  // of this pass and no other
	list        bool                   // bounds of single examples
}

// newPass returns the pass of a query that is complete, with values of the expressions in used,
// as in evaluate. They are in dst, if there is room.
func newPass(dst []semiring.ScaledFloat, p *em.Params, used *expr.Part, q em.Query, without []em.Skipped) (pass, error) {
	theta := p.Values(q.Theta)
	values, err := evaluate(slices.Grow(dst[:0], p.Space().Len()), p.Space(), used, theta, q.Temperature)
	if err != nil {
		return pass{}, nested.Errorf("cascade: %w", err)
	}
	ps := pass{eStep: q.EStep, temperature: q.Temperature, theta: theta, values: values, without: without, own: new(byte), list: q.Bounds}
	if q.Tangent != nil {
		direction := make([]float64, p.Len()) // of the tempered values
		floats.ScaleTo(direction, q.Temperature, q.Tangent)
		ps.tangents = p.Space().Tangents(nil, values, direction, q.Temperature)
	}
	return ps, nil
}

// leavesOut reports whether the pass is to leave out example i.
func (p pass) leavesOut(i int) bool {
	_, ok := slices.BinarySearchFunc(p.without, i, func(s em.Skipped, i int) int { return s.Index - i })
	return ok
}

// inherited returns p with the values of those expressions alone that a fork of the Params'
// Space has from it. The Params' Space may have grown since, and the handles of what is new
// there are those of other expressions in the fork.
func (p pass) inherited(fork *expr.Space) pass {
	n := fork.Inherited()
	if n > len(p.values) {
		panic("cascade: expressions were made in the Params' Space during an E step")
	}
	p.values = p.values[:n]
	if p.tangents != nil {
		p.tangents = p.tangents[:n]
	}
	return p
}

// backpropagate turns counts of the space's own handles into counts of other handles and
// of parameters.
func (p pass) backpropagate(space *expr.Space, handles, params expr.Dual) {
	if p.tangents == nil {
		space.Backpropagate(p.values, handles.Value, params.Value)
		return
	}
	space.BackpropagateAlong(p.values, p.tangents, handles, params)
}

// feeder hands out the examples of shards during one E step.
type feeder struct {
	// examples returns those of a shard, which may be asked for once. They are valid until p,
	// the storage of the goroutine that asks, is used again.
	examples func(shard int, p *feed.Portion[Example]) ([]Example, error)
	close    func()
	ways     uint    // that the E step takes
	choice   *choice // nil: of whole lattices
	choose   bool    // parts anew
}

// choice is an E step that chooses parts of lattices.
type choice struct {
	Within
	pass
	ceiling *part.Ceiling
}

// way is the cells of examples of one kind, by which they are summed over without composing a
// lattice for each.
type way struct {
	*cells.Cells
	kind cells.Kind
}

// kindOf returns what is known of an example, and whether it is of such a kind.
func kindOf(x *Example) (k cells.Kind, ok bool) {
	switch {
	case x.X.known.String && x.Y.known.String:
		return cells.Both, true
	case x.X.Absent() && x.Y.known.String:
		return cells.Output, true
	}
	return cells.Input, x.X.known.String && x.Y.Absent()
}

// stringsOf returns the strings of an example.
func stringsOf(x *Example) cells.Strings {
	return cells.Strings{In: x.X.known.Labels, Out: x.Y.known.Labels}
}

// ways are the ways of a corpus, nil for lattices alone.
type ways []way

// size returns the number of all cells.
func (ws ways) size() int {
	n := 0
	for _, w := range ws {
		n += w.Len()
	}
	return n
}

// layout says which cells there are: how many of each kind.
func (ws ways) layout() string {
	text := ""
	for _, w := range ws {
		text += fmt.Sprintf(", %d cells of kind %d", w.Len(), w.kind)
	}
	return text
}

// begin begins an E step and returns the ways that it takes, as bits by number.
func (ws ways) begin(p pass) (taken uint) {
	for n, w := range ws {
		if w.Begin(p.values, p.tangents, p.temperature, p.eStep == em.Viterbi) {
			taken |= 1 << n
		}
	}
	return taken
}

// of returns the number of the way that x goes among those taken, -1 for a lattice.
func (ws ways) of(x *Example, taken uint) int {
	if taken == 0 {
		return -1
	}
	kind, ok := kindOf(x)
	for n, w := range ws {
		if ok && taken>>n&1 == 1 && w.kind == kind {
			return n
		}
	}
	return -1
}

// backpropagate adds to the counts of handles, which sums begins with, what the counts of
// cells that follow come to.
func (ws ways) backpropagate(p pass, sums expr.Dual) {
	lo := len(p.values)
	for n, w := range ws {
		hi := lo + w.Len()
		if p.ways>>n&1 == 1 {
			counts := expr.Dual{Value: sums.Value[lo:hi]}
			if p.tangents != nil {
				counts.Change = sums.Change[lo:hi]
			}
			w.Backpropagate(counts, sums)
		}
		lo = hi
	}
}

// explainer explains what an E step finds.
type explainer interface {
	// explain returns err, which ended the sum of example i at the values of p, and what may
	// be its reason.
	explain(i int, err error, p pass) error
	// reason returns why an example has no derivation, "" if that is not known. It takes long
	// if it is to be thorough.
	reason(x *Example, thorough bool) string
	// remarks returns what may be a mistake in the model.
	remarks() []string
}

// summers sum over the examples of shards that go one of the ways, for one goroutine.
type summers []cells.Summer // per way; nil: none yet

// sum adds to a those of examples, the first of which is number lo, that need no lattice.
func (w *summers) sum(of ways, examples []Example, lo int, p pass, a *em.Tally, explain explainer) error {
	skipped, thorough := len(a.Skipped), true
	for i := range examples {
		x := &examples[i]
		named := em.Skipped{Index: lo + i, Name: x.Name, Weight: x.Weight.Float64()}
		way := of.of(x, p.ways)
		if way < 0 || named.Weight == 0 || p.leavesOut(named.Index) {
			continue
		}
		summer := w.of(of, way)
		total, arcs, err := summer.Sum(stringsOf(x), named.Weight, p.eStep == em.Viterbi)
		if err != nil {
			*w = nil // they are in the middle of a shard
			return nested.Errorf("cascade: %v: %w", named, explain.explain(named.Index, err, p))
		}
		if named.Structural = total.IsZero() && !summer.Relates(stringsOf(x)); named.Structural {
			named.Reason, thorough = explain.reason(x, thorough), false
		}
		a.Add(named, total)
		a.Arcs += arcs
		a.Latticeless++
	}
	if 0 < skipped && skipped < len(a.Skipped) {
		slices.SortFunc(a.Skipped, func(x, y em.Skipped) int { return x.Index - y.Index })
	}
	first := len(p.values)
	for n, summer := range *w {
		if summer != nil {
			summer.Drain(func(lo int32, counts, curvature []float64) { a.Run(int32(first)+lo, counts, curvature) })
		}
		first += of[n].Len()
	}
	return nil
}

// of returns the summer for a way.
func (w *summers) of(all ways, way int) cells.Summer {
	if *w == nil {
		*w = make(summers, len(all))
	}
	if (*w)[way] == nil {
		(*w)[way] = all[way].Hire()
	}
	return (*w)[way]
}
