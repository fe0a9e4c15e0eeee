package cascade

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/em/internal/feed"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// likelihood returns the likelihood of the examples. begin, if not nil, completes the pass of an
// E step that begins with shard q.Lo.
func (c *corpus) likelihood(begin func(p *pass, q em.Query)) em.Excluder {
	var values []semiring.ScaledFloat // storage, reused by each E step
	return em.Sharded[pass, worker]{
		Package: "cascade",
		Params:  c.params,
		Shards:  c.cut.Shards(),
		Fingerprint: func(w io.Writer) {
			c.source.write(digest.To{Writer: w})
			if c.sampling != nil {
				fmt.Fprintln(w, "sampled", c.sampling.Draws, c.sampling.Seed)
			}
		},
		Viterbi: c.sampling == nil, Tempered: true, Curved: c.sampling == nil,
		Underivable: c.source.policy(),
		Size:        func() int { return c.params.Space().Len() + c.ways.size() },
		Layout:      func() string { return c.digest.of(c.params.Space()) + c.ways.layout() },
		Begin: func(q em.Query) (pass, error) {
			p, err := newPass(values, c.params, c.used, q)
			values, p.draws = p.values, c.sampling.at(q.Theta)
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
		NewWorker: c.hire,
		Visit:     visit,
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

// worker makes E steps of shards, one at a time. It belongs to one goroutine.
type worker struct {
	of      *corpus
	maker   maker
	portion feed.Portion[Example]

	lattices  lattices
	templates templates
	blocks    blocks
	summers   []em.Summer // of a shard
}

func (c *corpus) hire() *worker {
	return &worker{of: c, maker: c.source.maker(), lattices: lattices{compiled: compiled{corpus: c}},
		templates: templates{compiled: compiled{corpus: c}}, blocks: blocks{corpus: c}}
}

// visit returns the summers of the examples of shard i.
func visit(ctx context.Context, w *worker, p pass, i int, a *em.Tally) ([]em.Summer, error) {
	lo, hi := w.of.cut.Shard(i)
	a.Examples = hi - lo
	s, err := w.of.shard(ctx, i, w.maker, &w.portion, p.feed)
	if err != nil {
		return nil, err
	}
	w.summers = w.summers[:0]
	if len(s.items) > 0 && s.space != nil {
		if err := w.lattices.begin(s, p, a); err != nil {
			return nil, err
		}
		w.summers = append(w.summers, &w.lattices)
	} else if len(s.items) > 0 {
		w.templates.shard, w.templates.pass = s, p
		w.summers = append(w.summers, &w.templates)
	}
	if len(s.examples) > 0 {
		w.blocks.begin(s, p, lo)
		w.summers = append(w.summers, &w.blocks)
	}
	return w.summers, nil
}
