package cascade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/part"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// chooser chooses parts of lattices, for one goroutine.
type chooser struct {
	tapes  *tapes.Composer
	limit  int // on the states and arcs of a lattice
	choice *choice
	values part.Values // of the expressions of a shard's space
	path   []int32
	sums   batch.Scratch
}

// begin begins shard s with expressions of space.
func (c *chooser) begin(of *choice, s *shard, space *expr.Space) {
	c.choice, s.chosen = of, of.own
	c.values.Reset(space, of.temperature, of.inherited(space).values, func(w expr.W) error { return of.fault(space, w) })
}

// spaceBefore returns the space of the previously chosen parts, or a new one.
func (s *shard) spaceBefore(used *expr.Subset) *expr.Space {
	if s.before != nil {
		return s.before.space
	}
	return used.Fork()
}

// options returns the settings for the choice of parts.
func (c *choice) options() part.Options { return part.Options{Beam: c.Beam, States: c.States, K: c.K} }

// keep chooses a part of the lattice of example i and adds it to s.
func (c *chooser) keep(ctx context.Context, s *shard, i int, sides []tapes.Side) error {
	n := len(s.items)
	before := s.before.itemAt(n)
	l, err := c.lattice(sides, before.large)
	if err != nil {
		return err
	}
	chosen, err := l.Choose(ctx, c.choice.options())
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
		if log, err = c.logTotal(of); err != nil {
			return err
		}
	}
	if before.shape != nil {
		old, err := c.logTotal(before.shape)
		if err != nil {
			return err
		}
		if old > log {
			s.batch.AppendItem(before.shape.batch, before.shape.g)
			of, log, whole = &shape{batch: s.batch, g: s.batch.Len() - 1}, old, before.whole
		}
	}
	if c.choice.eStep == em.Viterbi || whole {
		upper = log // the part contains the best derivation
	}
	s.add(i, of)
	last := &s.items[n]
	last.whole, last.large, last.upper = whole, !l.Exact(), max(upper, log)
	last.hidden = of == nil && l.Any()
	return nil
}

// itemAt returns item n of s, which may be nil.
func (s *shard) itemAt(n int) item {
	if s == nil {
		return item{}
	}
	return s.items[n]
}

// lattice returns the lattice of an example, as a whole unless it is too large.
func (c *chooser) lattice(sides []tapes.Side, large bool) (*part.Lattice, error) {
	limit := cmp.Or(c.choice.Whole, wholeByDefault)
	if limit > 0 && !large {
		f, err := c.tapes.Lattice(sides, min(limit, c.limit))
		if err == nil {
			f, err = machines.Exprs.Connect(f, nil)
		}
		if err == nil {
			return part.Whole(f, &c.values, c.choice.options())
		}
		if !errors.Is(err, semiring.ErrLimit) {
			return nil, err
		}
	}
	return c.partly(sides)
}

// partly returns the lattice of an example for a search, with bounds of the weight ahead of a
// state.
func (c *chooser) partly(sides []tapes.Side) (*part.Lattice, error) {
	if c.choice.ceiling == nil {
		return nil, errTree
	}
	left, right, err := c.tapes.Ends(0, sides, c.limit)
	if err != nil {
		return nil, err
	}
	ends := part.Ends{Left: left, Right: right, Strings: sides[0].Set == nil && sides[1].Set == nil}
	return c.choice.ceiling.Lattice(c.tapes.Machines(0), ends, &c.values, c.limit)
}

// errTree is the error for a lattice that cannot be searched.
var errTree = fmt.Errorf("%w: a lattice is too large to prune, and only the lattice of a cascade without branches can be searched instead", semiring.ErrLimit)

// logTotal returns the ln of the sum over the derivations in a part, or of the best one.
func (c *chooser) logTotal(of *shape) (float64, error) {
	values, err := c.values.All()
	if err != nil {
		return 0, err
	}
	var total semiring.ScaledFloat
	if c.choice.eStep == em.Viterbi {
		c.path, total, err = of.batch.Best(of.g, values, c.path[:0], &c.sums)
	} else {
		total, err = of.batch.Sum(of.g, values, &c.sums)
	}
	return total.Log(), err
}
