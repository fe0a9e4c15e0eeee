package cascade

import (
	"context"
	"io"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/em/internal/feed"
	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// likelihood returns the likelihood of the examples. begin completes the pass of an E step
// that begins with shard lo; it is nil if the source has nothing to say.
func (c *corpus) likelihood(begin func(p *pass, q em.Query)) em.Excluder {
	var values []semiring.ScaledFloat // of an E step, kept for the next
	return em.Sharded[pass, worker]{
		Package:     "cascade",
		Params:      c.params,
		Shards:      c.cut.Shards(),
		Fingerprint: func(w io.Writer) { c.source.write(digest.To{Writer: w}) },
		Viterbi:     true, Tempered: true, Curved: true,
		Underivable: c.source.policy(),
		Size:        func() int { return c.params.Space().Len() + c.ways.size() },
		Layout:      func() string { return c.digest.of(c.params.Space()) + c.ways.layout() },
		Begin: func(q em.Query, without []em.Skipped) (pass, error) {
			p, err := newPass(values, c.params, c.used, q, without)
			values = p.values
			if err == nil && begin != nil {
				begin(&p, q)
			}
			return p, err
		},
		End: func(p pass) {
			if p.feed != nil {
				p.feed.close()
			}
		},
		Hire: func() *worker { return &worker{of: c, maker: c.source.maker()} },
		Visit: func(ctx context.Context, w *worker, p pass, shard int, a *em.Tally) error {
			return w.visit(ctx, shard, p, a)
		},
		Backpropagate: func(p pass, handles, params expr.Dual) error {
			c.ways.backpropagate(p, handles)
			p.backpropagate(c.params.Space(), handles, params)
			return nil
		},
		Finish: func(_ pass, e *em.Expectations) error {
			e.Remarks = c.source.remarks()
			return nil
		},
	}.Excluder()
}

// worker makes E steps of shards, one at a time; it belongs to one goroutine.
type worker struct {
	of      *corpus
	maker   maker
	portion feed.Portion[Example]
	scratch batch.Scratch
	best    []int32

	// Per handle of a shard's space: what it inherited, those of the pass begun if that
	// is not nil, then its own. Or per handle of the template of an example with
	// arguments.
	values   []semiring.ScaledFloat
	tangents []float64
	begun    *byte
	base     int // number of the pass begun's values that are there

	// Per handle of a shard's space: expected uses, of the examples under way, and zeros
	// for shards that touch few of the handles.
	into, dense expr.Dual
	marks       []bool // per handle of the Params' Space: false
	below       []expr.W

	// For examples with arguments: expected uses per handle of the template; per
	// argument, of an example that has a template with more than arguments; and per
	// handle of the Params' Space, for a shard.
	own, uses expr.Dual
	counts    em.Accumulator

	summers summers
}

// visit fills a with the tally of shard i.
func (w *worker) visit(ctx context.Context, i int, p pass, a *em.Tally) error {
	lo, hi := w.of.cut.Shard(i)
	a.Examples = hi - lo
	s, err := w.of.shard(ctx, i, w.maker, &w.portion, p.feed)
	if err != nil {
		return err
	}
	if len(s.items) > 0 {
		if err := w.compiled(s, p, a); err != nil {
			return err
		}
	}
	if len(s.examples) > 0 {
		return w.summers.sum(w.of.ways, s.examples, lo, p, a, w.of.source)
	}
	return nil
}

// compiled adds to a the examples of s whose derivations are compiled.
func (w *worker) compiled(s *shard, p pass, a *em.Tally) (err error) {
	if s.space == nil {
		err := w.examples(s, p, a)
		w.counts.Drain(a)
		return err
	}
	handles := len(p.values)
	if p, err = w.extend(s, p); err != nil {
		return err
	}
	second := p.tangents != nil
	if touched := w.touched(s); touched != nil {
		return w.sparsely(s, p, a, touched)
	}
	a.Zeros(max(handles, len(p.values)), second)
	w.into = expr.Dual{Value: a.Counts, Change: a.Curvature}
	if err := w.examples(s, p, a); err != nil {
		return err
	}
	p.backpropagate(s.space, w.into, expr.Dual{})
	a.Counts = a.Counts[:handles]
	if second {
		a.Curvature = a.Curvature[:handles]
	}
	return nil
}

// sparsely adds to a the examples of s, which has a space, where their counts are of few
// handles, those in touched.
func (w *worker) sparsely(s *shard, p pass, a *em.Tally, touched []int32) error {
	n := len(p.values)
	w.dense.Value = vector.Pad(w.dense.Value, n)
	w.into = expr.Dual{Value: w.dense.Value[:n]}
	if p.tangents != nil {
		w.dense.Change = vector.Pad(w.dense.Change, n)
		w.into.Change = w.dense.Change[:n]
	}
	if err := w.examples(s, p, a); err != nil {
		w.dense = expr.Dual{} // it is no longer zero
		return err
	}
	p.backpropagate(s.space, w.into, expr.Dual{})
	for _, h := range touched {
		if p.tangents == nil {
			a.Put(h, w.into.Value[h])
		} else {
			a.Run(h, w.into.Value[h:h+1], w.into.Change[h:h+1])
			w.into.Change[h] = 0
		}
		w.into.Value[h] = 0
	}
	return nil
}

// touched returns the handles of the Params' Space that the counts of s can be of; nil if a
// dense vector is as good.
func (w *worker) touched(s *shard) []int32 {
	handles := s.space.Inherited()
	if s.looked || handles < manyHandles {
		return s.touched
	}
	s.looked = true
	w.marks = append(w.marks, make([]bool, max(0, handles-len(w.marks)))...)
	var touched []int32
	touch := func(h int32) {
		if int(h) < handles && !w.marks[h] {
			w.marks[h] = true
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
	w.below = s.space.AppendBelow(w.below[:0])
	for _, h := range w.below {
		touch(int32(h))
	}
	for _, h := range touched {
		w.marks[h] = false
	}
	if len(touched) < handles/manyTouched {
		slices.Sort(touched)
		s.touched = slices.Clip(touched)
	}
	return s.touched
}

// extend returns p with the values of all handles of the space of s, and no others.
func (w *worker) extend(s *shard, p pass) (pass, error) {
	p = p.inherited(s.space)
	inherited := len(p.values)
	failed := func(err error) (pass, error) {
		return p, nested.Errorf("cascade: examples %d to %d: %w", s.items[0].example, s.items[len(s.items)-1].example, err)
	}
	if err := w.of.valued(s, p); err != nil {
		return failed(err)
	}
	if s.space.Len() == inherited {
		return p, nil
	}
	if w.begun != p.own {
		w.begun, w.base = p.own, 0
	}
	w.base = min(w.base, inherited)
	w.values = append(w.values[:w.base], p.values[w.base:]...)
	values, err := s.space.EvaluateTempered(w.values, nil, p.temperature)
	if err != nil {
		return failed(err)
	}
	w.values, p.values = values, values
	if p.tangents != nil {
		w.tangents = append(w.tangents[:w.base], p.tangents[w.base:]...)
		w.tangents = s.space.Tangents(w.tangents, values, nil, p.temperature)
		p.tangents = w.tangents
	}
	w.base = inherited
	return p, nil
}

// examples adds the examples of s to a, and the counts of those with arguments to
// w.counts.
func (w *worker) examples(s *shard, p pass, a *em.Tally) error {
	for n, x := range s.items {
		if p.leavesOut(int(x.example)) {
			continue
		}
		total := semiring.ScaledFloat{}
		if x.shape != nil {
			var err error
			if total, err = w.example(s, n, p); err != nil {
				return nested.Errorf("cascade: %v: %w", s.skipped(n), w.of.source.explain(int(x.example), err, p))
			}
			a.Arcs += int64(x.shape.batch.NumEdgesOf(x.shape.g))
		}
		if total.IsZero() {
			a.Skipped = append(a.Skipped, s.skipped(n))
			continue
		}
		if s.chosen == nil || x.whole {
			a.LogLikelihood += s.weight(n) * total.Log()
			continue
		}
		upper := math.Inf(1)
		if s.chosen == p.own {
			upper = x.upper
		}
		a.Bounded(s.skipped(n), total, upper, p.list)
	}
	return nil
}

// example adds the counts of item n of s, and returns the total weight of its
// derivations.
func (w *worker) example(s *shard, n int, p pass) (semiring.ScaledFloat, error) {
	shape := s.items[n].shape
	if s.space != nil {
		return w.count(shape, p, s.weight(n), w.into)
	}
	args := s.arguments(n)
	own, err := w.evaluate(shape, args, p)
	if err != nil {
		return semiring.ScaledFloat{}, err
	}
	w.own = expr.Dual{Value: vector.Zeros(w.own.Value, len(w.values)), Change: vector.Zeros(w.own.Change, len(own.tangents))}
	total, err := w.count(shape, own, s.weight(n), w.own)
	if err == nil && !total.IsZero() {
		w.scatter(args, w.backpropagate(shape, own), len(p.values))
	}
	return total, err
}

// count adds to counts weight times the expected uses of each handle, and returns the
// total weight of the derivations.
func (w *worker) count(of *shape, p pass, weight float64, counts expr.Dual) (semiring.ScaledFloat, error) {
	switch {
	case p.eStep == em.Viterbi:
		best, total, err := of.batch.Best(of.g, p.values, w.best[:0], &w.scratch)
		w.best = best
		for _, h := range best {
			counts.Value[h] += weight
		}
		return total, err
	case p.tangents != nil:
		return of.batch.HessianVector(of.g, p.values, p.tangents, weight, counts.Value, counts.Change, &w.scratch)
	}
	return of.batch.Counts(of.g, p.values, weight, counts.Value, &w.scratch)
}

// evaluate returns p with the values of the template's expressions.
func (w *worker) evaluate(of *shape, args []expr.W, p pass) (pass, error) {
	w.begun = nil
	w.values = append(w.values[:0], p.values[expr.Zero], p.values[expr.One])
	for _, h := range args {
		w.values = append(w.values, p.values[h])
	}
	if of.template != nil {
		// The arguments are tempered already, constants of the template are not.
		var err error
		if w.values, err = of.template.EvaluateTempered(w.values, nil, p.temperature); err != nil {
			return p, err
		}
	}
	if p.tangents != nil {
		w.tangents = append(w.tangents[:0], 0, 0)
		for _, h := range args {
			w.tangents = append(w.tangents, p.tangents[h])
		}
		if of.template != nil {
			w.tangents = of.template.Tangents(w.tangents, w.values, nil, p.temperature)
		}
		p.tangents = w.tangents
	}
	p.values = w.values
	return p, nil
}

// backpropagate returns what w.own comes to per argument.
func (w *worker) backpropagate(of *shape, p pass) expr.Dual {
	n := of.arguments
	if of.template == nil {
		uses := expr.Dual{Value: w.own.Value[2 : 2+n]}
		if p.tangents != nil {
			uses.Change = w.own.Change[2 : 2+n]
		}
		return uses
	}
	w.uses.Value = vector.Zeros(w.uses.Value, n)
	uses := expr.Dual{Value: w.uses.Value}
	if p.tangents != nil {
		w.uses.Change = vector.Zeros(w.uses.Change, n)
		uses.Change = w.uses.Change
	}
	p.backpropagate(of.template, w.own, uses)
	return uses
}

// scatter adds uses, per argument, to the counts; handles is their number.
func (w *worker) scatter(args []expr.W, uses expr.Dual, handles int) {
	second := uses.Change != nil
	w.counts.Grow(handles, second)
	for k, h := range args {
		if second {
			w.counts.AddDual(int32(h), uses.Value[k], uses.Change[k])
		} else {
			w.counts.Add(int32(h), uses.Value[k])
		}
	}
}
