package cascade

import (
	"context"
	"io"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/em/internal/feed"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
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
		Hire: c.hire,
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

	// Numbers in, counts out: see summer.
	lattices  lattices
	templates templates
	blocks    blocks
}

func (c *corpus) hire() *worker {
	return &worker{of: c, maker: c.source.maker(), lattices: lattices{corpus: c}, blocks: blocks{corpus: c}}
}

// summer sums over the derivations of the examples of a shard, one at a time. An E step of a shard
// is its begin, which takes the numbers of the pass, its sums, and its drain of counts.
type summer interface {
	// begin begins a shard, and returns the pass with all numbers that are summed over.
	begin(s *shard, p pass, a *em.Tally) (pass, error)
	// len returns the number of items.
	len() int
	// example returns the number of item n's example, and whether it is to be summed over.
	example(n int) (i int, ok bool)
	// named returns what item n is called.
	named(n int) em.Skipped
	// sum counts what is expected in item n, as often as it was seen. It returns the total
	// weight of its derivations, and how many arcs that took. After an error begin is next.
	sum(n int) (total semiring.ScaledFloat, arcs int64, err error)
	// tell adds the total of item n to the tally.
	tell(a *em.Tally, n int, total semiring.ScaledFloat)
	// drain adds the counts to the tally.
	drain(a *em.Tally)
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
		var by summer = &w.lattices
		if s.space == nil {
			by = &w.templates
		}
		if err := w.sum(by, s, p, a); err != nil {
			return err
		}
	}
	skipped := len(a.Skipped)
	if len(s.examples) > 0 {
		w.blocks.first = lo
		if err := w.sum(&w.blocks, s, p, a); err != nil {
			return err
		}
	}
	if 0 < skipped && skipped < len(a.Skipped) {
		slices.SortFunc(a.Skipped, func(x, y em.Skipped) int { return x.Index - y.Index })
	}
	return nil
}

// sum adds to a what a summer finds in the examples of s.
func (w *worker) sum(by summer, s *shard, p pass, a *em.Tally) error {
	p, err := by.begin(s, p, a)
	if err != nil {
		return err
	}
	for n := range by.len() {
		i, ok := by.example(n)
		if !ok || p.leavesOut(i) {
			continue
		}
		total, arcs, err := by.sum(n)
		if err != nil {
			return nested.Errorf("cascade: %v: %w", by.named(n), w.of.source.explain(i, err, p))
		}
		a.Arcs += arcs
		by.tell(a, n, total)
	}
	by.drain(a)
	return nil
}
