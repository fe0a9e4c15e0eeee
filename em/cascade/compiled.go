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

// This file defines the summers of shards with compiled derivations. lattices sums over lattices
// or parts of them, whose weights are expressions of the shard. templates sums over templates,
// for which examples supply the arguments.

// compiled is the common part of lattices and templates.
type compiled struct {
	corpus  *corpus
	shard   *shard
	pass    pass
	scratch batch.Scratch
	best    []int32

	// Of the handles of a shard's space, or of the template of an example with arguments.
	values   []semiring.ScaledFloat
	tangents []float64
}

func (c *compiled) Len() int { return len(c.shard.items) }

func (c *compiled) Weight(n int) (i int, weight float64) {
	return int(c.shard.items[n].example), c.shard.weight(n)
}

func (c *compiled) Example(n int) em.Skipped { return c.shard.skipped(n) }

// told returns ln of the total weight of the derivations of item n, or explains err. It adds the
// item's arcs to a and, if only a part of its lattice was summed over, the bound of the whole
// sum.
func (c *compiled) told(a *em.Tally, n int, total semiring.ScaledFloat, err error) (float64, error) {
	s, ln := c.shard, total.Log()
	x := &s.items[n]
	if err != nil {
		return 0, c.corpus.source.explain(int(x.example), err, c.pass)
	}
	if x.shape != nil {
		a.Arcs += int64(x.shape.batch.NumEdgesOf(x.shape.g))
	}
	if s.chosen == nil || x.whole || total.IsZero() {
		return ln, nil
	}
	upper := math.Inf(1)
	if s.chosen == c.pass.own {
		upper = x.upper
	}
	a.Bounded(s.skipped(n), ln, upper, c.pass.list)
	return ln, nil
}

// count adds to counts weight times the expected uses of each handle in item x, which has a shape,
// and returns the total weight of the derivations.
func (c *compiled) count(x *item, p pass, weight float64, counts expr.Dual) (semiring.ScaledFloat, error) {
	of := x.shape
	switch {
	case p.draws.n > 0:
		return of.batch.SampledCounts(of.g, p.values, weight, p.draws.n, p.draws.of(x.example), counts.Value, &c.scratch)
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
	begun   *byte // id of the pass whose inherited values are in values
	base    int   // number of inherited values
	handles int   // number of handles of the pass, without the shard's own
	// Per handle of the shard's space: into holds expected uses. dense holds zeros for shards
	// that touch few of the handles of the Params' Space.
	into, dense expr.Dual
	touched     []int32 // these handles; nil if many
	marks       []bool  // per handle of the Params' Space; false between calls
	below       []expr.W
}

// begin begins the shard s and evaluates its own expressions.
func (l *lattices) begin(s *shard, p pass, a *em.Tally) error {
	handles := len(p.values)
	p, err := l.extend(s, p)
	if err != nil {
		return err
	}
	l.shard, l.pass, l.handles = s, p, handles
	n, second := len(p.values), p.tangents != nil
	if l.touched = l.touches(s); l.touched == nil {
		a.Zeros(max(handles, n), second)
		l.into = expr.Dual{Value: a.Counts, Change: a.Curvature}
		return nil
	}
	l.dense.Value = vector.Pad(l.dense.Value, n)
	l.into = expr.Dual{Value: l.dense.Value[:n]}
	if second {
		l.dense.Change = vector.Pad(l.dense.Change, n)
		l.into.Change = l.dense.Change[:n]
	}
	return nil
}

func (l *lattices) Sum(n int, weight float64, a *em.Tally) (ln float64, err error) {
	var total semiring.ScaledFloat
	if x := &l.shard.items[n]; x.shape != nil {
		total, err = l.count(x, l.pass, weight, l.into)
	}
	return l.told(a, n, total, err)
}

// Drain backpropagates the counts of the shard's own expressions to expressions of the Params'
// Space.
func (l *lattices) Drain(a *em.Tally) error {
	l.pass.backpropagate(l.shard.space, l.into, expr.Dual{})
	second := l.pass.tangents != nil
	if l.touched == nil {
		a.Counts = a.Counts[:l.handles]
		if second {
			a.Curvature = a.Curvature[:l.handles]
		}
		return nil
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
	return nil
}

// touches returns the handles of the Params' Space that may have counts in s. It returns nil if a
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

// extend returns p with the values of exactly the handles of the space of s.
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

// templates sums over derivations whose weights are expressions of a template. Each example
// supplies the arguments, expressions of the Params' Space.
type templates struct {
	compiled
	// Expected uses: uses per handle of the template; args per argument, for an example whose
	// template has more than arguments; counts per handle of the Params' Space, for a shard.
	uses, args expr.Dual
	counts     em.Accumulator
}

func (t *templates) Sum(n int, weight float64, a *em.Tally) (ln float64, err error) {
	var total semiring.ScaledFloat
	if x := &t.shard.items[n]; x.shape != nil {
		var uses expr.Dual
		args := t.shard.arguments(n)
		total, uses, err = t.expected(x, args, t.pass, weight)
		if err == nil && !total.IsZero() {
			t.scatter(args, uses)
		}
	}
	return t.told(a, n, total, err)
}

// expected returns the total weight of the derivations of item x, and weight times the expected
// uses of each argument.
func (t *templates) expected(x *item, args []expr.W, p pass, weight float64) (semiring.ScaledFloat, expr.Dual, error) {
	of := x.shape
	own, err := t.evaluate(of, args, p)
	if err != nil {
		return semiring.ScaledFloat{}, expr.Dual{}, err
	}
	t.uses = expr.Dual{Value: vector.Zeros(t.uses.Value, len(t.values)), Change: vector.Zeros(t.uses.Change, len(own.tangents))}
	total, err := t.count(x, own, weight, t.uses)
	if err != nil || total.IsZero() {
		return total, expr.Dual{}, err
	}
	return total, t.backpropagate(of, own), nil
}

func (t *templates) Drain(a *em.Tally) error {
	t.counts.Drain(a)
	return nil
}

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

// backpropagate converts t.uses to expected uses per argument.
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

// scatter adds the uses of arguments to the counts.
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
