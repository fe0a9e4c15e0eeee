package cascade

import (
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// This file has the summers of shards whose derivations are compiled: lattices, or parts of them,
// whose weights are expressions of the shard, and templates, to which examples bring arguments.

// compiled is what both have in common.
type compiled struct {
	shard   *shard
	pass    pass
	scratch batch.Scratch
	best    []int32

	// Of the handles of a shard's space, or of the template of an example with arguments.
	values   []semiring.ScaledFloat
	tangents []float64
}

func (c *compiled) len() int { return len(c.shard.items) }

func (c *compiled) example(n int) (i int, ok bool) { return int(c.shard.items[n].example), true }

func (c *compiled) named(n int) em.Skipped { return c.shard.skipped(n) }

func (c *compiled) tell(a *em.Tally, n int, total semiring.ScaledFloat) {
	s := c.shard
	x := &s.items[n]
	switch {
	case total.IsZero():
		a.Skipped = append(a.Skipped, s.skipped(n))
	case s.chosen == nil || x.whole:
		a.LogLikelihood += s.weight(n) * total.Log()
	default:
		upper := math.Inf(1)
		if s.chosen == c.pass.own {
			upper = x.upper
		}
		a.Bounded(s.skipped(n), total, upper, c.pass.list)
	}
}

// count adds to counts weight times the expected uses of each handle, and returns the
// total weight of the derivations.
func (c *compiled) count(of *shape, p pass, weight float64, counts expr.Dual) (semiring.ScaledFloat, error) {
	switch {
	case p.eStep == em.Viterbi:
		best, total, err := of.batch.Best(of.g, p.values, c.best[:0], &c.scratch)
		c.best = best
		for _, h := range best {
			counts.Value[h] += weight
		}
		return total, err
	case p.tangents != nil:
		return of.batch.HessianVector(of.g, p.values, p.tangents, weight, counts.Value, counts.Change, &c.scratch)
	}
	return of.batch.Counts(of.g, p.values, weight, counts.Value, &c.scratch)
}

// lattices sums over lattices and parts of lattices, whose weights are expressions of the space of
// their shard.
type lattices struct {
	compiled
	corpus  *corpus
	begun   *byte // the pass of which values has what the shard's space inherited
	base    int   // how many of these there are
	handles int   // of the pass, without the shard's own
	// Per handle of the shard's space: expected uses, and zeros for shards that touch few of the
	// handles of the Params' Space.
	into, dense expr.Dual
	touched     []int32 // these handles, nil: many
	marks       []bool  // per handle of the Params' Space: false
	below       []expr.W
}

func (l *lattices) begin(s *shard, p pass, a *em.Tally) (pass, error) {
	handles := len(p.values)
	p, err := l.extend(s, p)
	if err != nil {
		return p, err
	}
	l.shard, l.pass, l.handles = s, p, handles
	n, second := len(p.values), p.tangents != nil
	if l.touched = l.touches(s); l.touched == nil {
		a.Zeros(max(handles, n), second)
		l.into = expr.Dual{Value: a.Counts, Change: a.Curvature}
		return p, nil
	}
	l.dense.Value = vector.Pad(l.dense.Value, n)
	l.into = expr.Dual{Value: l.dense.Value[:n]}
	if second {
		l.dense.Change = vector.Pad(l.dense.Change, n)
		l.into.Change = l.dense.Change[:n]
	}
	return p, nil
}

func (l *lattices) sum(n int) (total semiring.ScaledFloat, arcs int64, err error) {
	of := l.shard.items[n].shape
	if of == nil {
		return total, 0, nil
	}
	if total, err = l.count(of, l.pass, l.shard.weight(n), l.into); err != nil {
		l.dense = expr.Dual{} // it is no longer zero
	}
	return total, int64(of.batch.NumEdgesOf(of.g)), err
}

// drain takes the counts of the shard's own expressions to those of the Params' Space.
func (l *lattices) drain(a *em.Tally) {
	l.pass.backpropagate(l.shard.space, l.into, expr.Dual{})
	second := l.pass.tangents != nil
	if l.touched == nil {
		a.Counts = a.Counts[:l.handles]
		if second {
			a.Curvature = a.Curvature[:l.handles]
		}
		return
	}
	for _, h := range l.touched {
		if !second {
			a.Put(h, l.into.Value[h])
		} else {
			a.Run(h, l.into.Value[h:h+1], l.into.Change[h:h+1])
			l.into.Change[h] = 0
		}
		l.into.Value[h] = 0
	}
}

// touches returns the handles of the Params' Space that the counts of s can be of; nil if a
// dense vector is as good.
func (l *lattices) touches(s *shard) []int32 {
	handles := s.space.Inherited()
	if s.looked || handles < manyHandles {
		return s.touched
	}
	s.looked = true
	l.marks = append(l.marks, make([]bool, max(0, handles-len(l.marks)))...)
	var touched []int32
	touch := func(h int32) {
		if int(h) < handles && !l.marks[h] {
			l.marks[h] = true
			touched = append(touched, h)
		}
	}
	for _, x := range s.items {
		if x.shape != nil {
			for _, h := range x.shape.batch.Weights(x.shape.g) {
				touch(h)
			}
		}
	}
	l.below = s.space.AppendBelow(l.below[:0])
	for _, h := range l.below {
		touch(int32(h))
	}
	for _, h := range touched {
		l.marks[h] = false
	}
	if len(touched) < handles/manyTouched {
		slices.Sort(touched)
		s.touched = slices.Clip(touched)
	}
	return s.touched
}

// extend returns p with the values of all handles of the space of s, and no others.
func (l *lattices) extend(s *shard, p pass) (pass, error) {
	p = p.inherited(s.space)
	inherited := len(p.values)
	failed := func(err error) (pass, error) {
		return p, nested.Errorf("cascade: examples %d to %d: %w", s.items[0].example, s.items[len(s.items)-1].example, err)
	}
	if err := l.corpus.valued(s, p); err != nil {
		return failed(err)
	}
	if s.space.Len() == inherited {
		return p, nil
	}
	if l.begun != p.own {
		l.begun, l.base = p.own, 0
	}
	l.base = min(l.base, inherited)
	l.values = append(l.values[:l.base], p.values[l.base:]...)
	values, err := s.space.EvaluateTempered(l.values, nil, p.temperature)
	if err != nil {
		return failed(err)
	}
	l.values, p.values = values, values
	if p.tangents != nil {
		l.tangents = append(l.tangents[:l.base], p.tangents[l.base:]...)
		l.tangents = s.space.Tangents(l.tangents, values, nil, p.temperature)
		p.tangents = l.tangents
	}
	l.base = inherited
	return p, nil
}

// templates sums over derivations whose weights are expressions of a template, to which each
// example brings the arguments, expressions of the Params' Space.
type templates struct {
	compiled
	// Expected uses per handle of the template; per argument, of an example that has a template
	// with more than arguments; and per handle of the Params' Space, for a shard.
	uses, args expr.Dual
	counts     em.Accumulator
}

func (t *templates) begin(s *shard, p pass, _ *em.Tally) (pass, error) {
	t.shard, t.pass = s, p
	return p, nil
}

func (t *templates) sum(n int) (total semiring.ScaledFloat, arcs int64, err error) {
	of, args := t.shard.items[n].shape, t.shard.arguments(n)
	if of == nil {
		return total, 0, nil
	}
	arcs = int64(of.batch.NumEdgesOf(of.g))
	total, uses, err := t.expected(of, args, t.pass, t.shard.weight(n))
	if err == nil && !total.IsZero() {
		t.scatter(args, uses)
	}
	return total, arcs, err
}

// expected returns the total weight of the derivations, and weight times how often each argument
// is expected to be used.
func (t *templates) expected(of *shape, args []expr.W, p pass, weight float64) (semiring.ScaledFloat, expr.Dual, error) {
	own, err := t.evaluate(of, args, p)
	if err != nil {
		return semiring.ScaledFloat{}, expr.Dual{}, err
	}
	t.uses = expr.Dual{Value: vector.Zeros(t.uses.Value, len(t.values)), Change: vector.Zeros(t.uses.Change, len(own.tangents))}
	total, err := t.count(of, own, weight, t.uses)
	if err != nil || total.IsZero() {
		return total, expr.Dual{}, err
	}
	return total, t.backpropagate(of, own), nil
}

func (t *templates) drain(a *em.Tally) { t.counts.Drain(a) }

// evaluate returns p with the values of the template's expressions.
func (t *templates) evaluate(of *shape, args []expr.W, p pass) (pass, error) {
	t.values = append(t.values[:0], p.values[expr.Zero], p.values[expr.One])
	for _, h := range args {
		t.values = append(t.values, p.values[h])
	}
	if of.template != nil {
		// The arguments are tempered already, constants of the template are not.
		var err error
		if t.values, err = of.template.EvaluateTempered(t.values, nil, p.temperature); err != nil {
			return p, err
		}
	}
	if p.tangents != nil {
		t.tangents = append(t.tangents[:0], 0, 0)
		for _, h := range args {
			t.tangents = append(t.tangents, p.tangents[h])
		}
		if of.template != nil {
			t.tangents = of.template.Tangents(t.tangents, t.values, nil, p.temperature)
		}
		p.tangents = t.tangents
	}
	p.values = t.values
	return p, nil
}

// backpropagate returns what t.uses comes to per argument.
func (t *templates) backpropagate(of *shape, p pass) expr.Dual {
	n := of.arguments
	if of.template == nil {
		uses := expr.Dual{Value: t.uses.Value[2 : 2+n]}
		if p.tangents != nil {
			uses.Change = t.uses.Change[2 : 2+n]
		}
		return uses
	}
	t.args.Value = vector.Zeros(t.args.Value, n)
	uses := expr.Dual{Value: t.args.Value}
	if p.tangents != nil {
		t.args.Change = vector.Zeros(t.args.Change, n)
		uses.Change = t.args.Change
	}
	p.backpropagate(of.template, t.uses, uses)
	return uses
}

// scatter adds uses, per argument, to the counts.
func (t *templates) scatter(args []expr.W, uses expr.Dual) {
	second := uses.Change != nil
	t.counts.Grow(len(t.pass.values), second)
	for k, h := range args {
		if second {
			t.counts.AddDual(int32(h), uses.Value[k], uses.Change[k])
		} else {
			t.counts.Add(int32(h), uses.Value[k])
		}
	}
}
