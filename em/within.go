package em

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"example.org/pathsum/em/internal/part"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// Within says which part of a lattice an E step sums over, where the whole is too large or
// takes too long. The sum is then a lower bound, and training raises that. An upper bound
// comes with it whenever a part is chosen (Expectations.Gap): what was left out is bounded
// by what it would have to go through.
//
// The part of an example is chosen at the θ of its first E step, and anew in each E step that
// may do so (Query.Choose), which Fit allows every so many iterations (Options.ChooseEvery).
// The part that was there before stays if it has the higher sum at the new θ. So no choice
// lowers the objective, nor do EM, Incremental and Anneal (at one temperature) on the parts
// as they are. Methods that follow a gradient or extrapolate keep the parts of the first E
// step of each start. The objective may fall for Stepwise as ever, and it does not compare
// before and after a start gives way to another one (Options.Prune) or is resumed from a
// checkpoint. A resumed run chooses anew, and need not have the bits of one without a break. Nor
// does a second Fit of the same Likelihood, which has parts from the first. Where each E step is
// made by a Likelihood of its own, as on a cluster, no part stays, and the objective may fall.
type Within struct {
	// Beam keeps the derivations of at least this fraction of the best one's weight, and
	// others made of the same arcs: a number in (0, 1), smaller for more.
	Beam float64
	// States ends the beam where this many states have been kept, those of the best
	// derivations (0: no limit). The best derivation is kept in any case.
	States int
	// K, in place of a Beam, keeps the K best derivations and nothing else: a K-best E
	// step. With K = 1 training is Viterbi training, chosen as often as parts are.
	K int
	// Whole is the number of states and arcs up to which a lattice is made as a whole to
	// choose from, which is then forgotten: the upper bound is the sum (default 1<<20;
	// negative: none). A larger one is searched, best first, and only a cascade without
	// Branches may be larger. Its weights must not exceed 1. What lies ahead of a state is
	// then bounded by smaller machines, whose states stand for several and have the
	// greatest weights that these have. It is at most 1, besides, where weights are
	// probabilities of pairs, or of outputs given the input.
	Whole int
}

// wholeByDefault is the default of Within.Whole.
const wholeByDefault = 1 << 20

// check returns what is wrong with w, nil for nothing.
func (w *Within) check(data Data) error {
	switch {
	case w == nil:
		return nil
	case (w.Beam == 0) == (w.K == 0):
		return fmt.Errorf("em: %w: Within a beam or K derivations, one of them", ErrInvalid)
	case w.K < 0 || w.States < 0:
		return fmt.Errorf("em: %w: Within %d derivations or %d states", ErrInvalid, w.K, w.States)
	case w.K == 0 && !(w.Beam > 0 && w.Beam < 1):
		return fmt.Errorf("em: %w: Within a beam of %g, want a number in (0, 1)", ErrInvalid, w.Beam)
	case w.K > 0 && w.States > 0:
		return fmt.Errorf("em: %w: Within %d states, but not in a beam", ErrInvalid, w.States)
	case data.streamed():
		return fmt.Errorf("em: %w: Within parts of lattices, which are kept, of a Stream or a Text", ErrInvalid)
	}
	return nil
}

// options returns which part is chosen of each lattice.
func (w *Within) options() part.Options { return part.Options{Beam: w.Beam, States: w.States, K: w.K} }

// choice is an E step that chooses parts of lattices.
type choice struct {
	Within
	pass
	ceiling *part.Ceiling
}

// keep adds to s the part of the lattice of example i that is chosen.
func (b *composer) keep(ctx context.Context, s *shard, i int, x *Example) error {
	n := len(s.items)
	before := s.before.itemAt(n)
	l, err := b.lattice(x, before.large)
	if err != nil {
		return err
	}
	chosen, err := l.Choose(ctx, b.choice.options())
	if err != nil {
		return err
	}
	g, upper, whole, err := l.Freeze(chosen)
	if err != nil {
		return err
	}
	some, err := batch.AppendGraph(s.batch, g)
	if err != nil {
		return err
	}
	var of *shape
	log := math.Inf(-1)
	if some {
		of = &shape{batch: s.batch, g: s.batch.Len() - 1}
		if log, err = b.logTotal(of); err != nil {
			return err
		}
	}
	if before.shape != nil {
		old, err := b.logTotal(before.shape)
		if err != nil {
			return err
		}
		if old > log {
			s.batch.AppendItem(before.shape.batch, before.shape.g)
			of, log, whole = &shape{batch: s.batch, g: s.batch.Len() - 1}, old, before.whole
		}
	}
	if b.choice.eStep == Viterbi || whole {
		upper = log // the best derivation is among those kept
	}
	s.add(i, of)
	last := &s.items[n]
	last.whole, last.large, last.upper = whole, !l.Exact(), max(upper, log)
	last.hidden = of == nil && l.Any()
	return nil
}

// beginWithin begins a shard of parts, with the expressions of those chosen before.
func (b *composer) beginWithin(s *shard, of *choice) {
	b.choice, s.chosen = of, of.own
	if s.before != nil {
		b.space = s.before.space
		b.arena.SetSemiring(b.space)
		b.elimination.begin(b.of.problem.tree(), b.space)
	}
	b.values.Reset(b.space, of.temperature, of.values)
}

// itemAt returns item n of s, which may be nil.
func (s *shard) itemAt(n int) item {
	if s == nil {
		return item{}
	}
	return s.items[n]
}

// lattice returns the lattice of x: as a whole unless it is too large.
func (b *composer) lattice(x *Example, large bool) (*part.Lattice, error) {
	b.arena.Reset()
	limit := cmp.Or(b.choice.Whole, wholeByDefault)
	if limit > 0 && !large {
		b.limit = min(limit, b.of.data.LatticeLimit)
		m, err := b.derivations(x)
		var f *fst.FST[expr.W]
		if err == nil {
			f, err = b.arena.Expand(m, b.limit)
		}
		b.limit = b.of.data.LatticeLimit
		if err == nil {
			return part.Whole(fst.Connect(f), &b.values, b.choice.options())
		}
		if !isAny(err, []error{semiring.ErrLimit}) {
			return nil, err
		}
	}
	return b.partly(x)
}

// partly returns the lattice of x, to be searched, with bounds of what lies ahead.
func (b *composer) partly(x *Example) (*part.Lattice, error) {
	if p := b.of.problem; len(p.Cascade) == 0 || len(p.Branches) > 0 {
		return nil, errTree
	}
	ends := part.Ends{Left: b.side(x.X), Right: b.side(x.Y), Strings: x.X.set == nil && x.Y.set == nil}
	return b.choice.ceiling.Lattice(b.edges[0].Machines, ends, &b.values, b.limit)
}

// errTree says why a lattice is not searched.
var errTree = fmt.Errorf("%w: a lattice that is too large to choose a part from; only that of a cascade without branches can be searched", semiring.ErrLimit)

// logTotal returns the ln of the sum over the derivations in a part, or of the best one.
func (b *composer) logTotal(of *shape) (float64, error) {
	values, err := b.values.All()
	if err != nil {
		return 0, err
	}
	var total semiring.ScaledFloat
	if b.choice.eStep == Viterbi {
		b.path, total, err = of.batch.Best(of.g, values, b.path[:0], &b.sums)
	} else {
		total, err = of.batch.Sum(of.g, values, &b.sums)
	}
	return total.Log(), err
}

// Bound says between what the ln of an example's sum lies, where an E step takes a part of
// the sum (Data.Within).
type Bound struct {
	// Part and Index say which example it is, as in Skipped, and Name is what it is called.
	Part  string
	Index int
	Name  string
	// Weight is the example's.
	Weight float64
	// Lower ≤ ln P(example) ≤ Upper, in nats. Lower is what the LogLikelihood has of the
	// example, but for its weight. Upper is +Inf where nothing is known. It has been
	// raised by 1e-9, which is much more than rounding takes.
	Lower, Upper float64
}

// Bounded enters the sum of a part of the derivations of example x, which is not zero, and
// an upper bound of the ln of the sum of all: +Inf if there is none. The E step lists it if
// list is true, see Query.Bounds.
func (t *Tally) Bounded(x Skipped, sum semiring.ScaledFloat, upper float64, list bool) {
	lower := sum.Log()
	upper = max(lower, upper)
	t.LogLikelihood += x.Weight * lower
	t.Gap += x.Weight * (upper - lower)
	if list {
		t.Bounds = append(t.Bounds, Bound{Part: x.Part, Index: x.Index, Name: x.Name, Weight: x.Weight, Lower: lower, Upper: upper})
	}
}
