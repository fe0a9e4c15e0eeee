package align

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// tally is what the E step finds in a shard.
type tally struct {
	link      []pair       // what is counted per cell, sentence by sentence, E×F
	null      [2][]float64 // posterior of NULL per word of F, of E
	positions [2][]float64 // expected uses of the parameters of positions
	logP      [2]float64
	skipped   []em.Skipped
}

// worker finds the posteriors of sentences; it belongs to one goroutine.
type worker struct {
	scratch [2]*scratch
	views   [2]view
	class   [2][]int32
}

func newWorker() *worker {
	return &worker{scratch: [2]*scratch{newScratch(), newScratch()}}
}

// newCounter returns a worker that counts the uses of parameters, too.
func newCounter() *worker {
	w := newWorker()
	for _, s := range w.scratch {
		s.uses = make([][]float64, 2)
	}
	return w
}

// machine is a model of both directions at fixed parameters, ready for inference.
type machine struct {
	lexicon   *lexicon
	classes   [2][]int32 // of the words of E, of F; nil: one class
	floor     float64
	step      EStep
	positions [2]positions
}

// classes returns the classes of the words of E, or of F, in a sentence.
func (w *worker) classes(m *machine, side int, words []int32) []int32 {
	of := m.classes[side]
	if of == nil {
		return nil
	}
	c := resized(w.class[side], len(words))
	w.class[side] = c
	for i, word := range words {
		c[i] = 0
		if word >= 0 {
			c[i] = of[word]
		}
	}
	return c
}

// prepare gets ready for sentences of e and f words.
func (m *machine) prepare(e, f int) error {
	if err := m.positions[ef].prepare(e, f); err != nil {
		return err
	}
	return m.positions[fe].prepare(f, e)
}

// visit finds the posteriors of a sentence and returns ln P in both directions.
func (w *worker) visit(m *machine, slots, e, f []int32) (logP [2]float64, err error) {
	words := [2][]int32{e, f}
	for d := range w.views {
		hidden, seen := words[d], words[1-d]
		w.views[d].resize(m.positions[d], len(hidden), len(seen))
		w.views[d].class = w.classes(m, d, hidden)
	}
	m.lexicon.gather(&w.views, m.floor, m.step, slots, e, f)
	for d := range w.views {
		if logP[d], err = m.positions[d].visit(&w.views[d], w.scratch[d]); err != nil {
			return logP, err
		}
	}
	return logP, nil
}

// links sets dst to the posteriors of the links of the sentence last visited, E×F.
func (w *worker) links(dst []pair) {
	x, y := &w.views[ef], &w.views[fe]
	for i := range y.seen {
		at, row := x.first+i, y.links(y.node, i)
		for j, q := range row {
			dst[j] = pair{x.node[at], q}
			at += x.stride
		}
		dst = dst[len(row):]
	}
}

// shards cuts a corpus.
type shards struct {
	corpus *Corpus
	slots  []int32
	first  []int // the first sentence of each shard
	cell   []int // and its first cell
}

// leastCells makes shards so small that their posteriors stay in a processor's cache.
const leastCells = 1 << 14

// newShards cuts the corpus into shards with as many cells as there are parameters of
// positions, which each shard counts, or leastCells.
func newShards(c *Corpus, slots []int32, parameters int) *shards {
	s := &shards{corpus: c, slots: slots, first: []int{0}, cell: []int{0}}
	least, cell, last := max(parameters, leastCells), 0, 0
	for n := range c.Len() {
		cell += len(c.text[0].sentence(n)) * len(c.text[1].sentence(n))
		if cell-last >= least || n+1 == c.Len() {
			s.first, s.cell, last = append(s.first, n+1), append(s.cell, cell), cell
		}
	}
	return s
}

func (s *shards) len() int { return len(s.cell) - 1 }

// of returns the sentences of a shard.
func (s *shards) of(shard int) (lo, hi int) { return s.first[shard], s.first[shard+1] }

// words returns the words of E, or of F, in a shard.
func (s *shards) words(side, shard int) []int32 {
	t := &s.corpus.text[side]
	lo, hi := s.of(shard)
	return t.words[t.first[lo]:t.first[hi]]
}

// visit makes the E step of a shard.
func (s *shards) visit(w *worker, m *machine, how Counting, shard int, a *tally) error {
	slots := s.slots[s.cell[shard]:s.cell[shard+1]]
	a.link = resized(a.link, len(slots))
	for d := range a.null {
		a.null[d] = a.null[d][:0]
		a.positions[d] = resized(a.positions[d], m.positions[d].size())
		clear(a.positions[d])
	}
	a.logP, a.skipped = [2]float64{}, a.skipped[:0]
	link := a.link
	lo, hi := s.of(shard)
	for n := lo; n < hi; n++ {
		e, f := s.corpus.text[0].sentence(n), s.corpus.text[1].sentence(n)
		cells := len(e) * len(f)
		logP, err := w.visit(m, slots[:cells], e, f)
		if err != nil {
			return fmt.Errorf("sentence %d: %w", n, err)
		}
		derivable := !math.IsInf(logP[ef]+logP[fe], -1)
		if derivable {
			w.links(link[:cells])
			how.combine(link[:cells])
		} else {
			clear(link[:cells])
			a.skipped = append(a.skipped, s.corpus.skipped(n))
		}
		for d := range a.null {
			v := &w.views[d]
			if derivable {
				m.positions[d].count(a.positions[d], v, w.scratch[d])
				a.logP[d] += logP[d]
			} else {
				clear(v.fromNull)
			}
			a.null[d] = append(a.null[d], v.fromNull...)
		}
		slots, link = slots[cells:], link[cells:]
	}
	return nil
}

// combine makes what is counted of posteriors.
func (how Counting) combine(links []pair) {
	switch how {
	case Averaged:
		for n, p := range links {
			both := (p[ef] + p[fe]) / 2
			links[n] = pair{both, both}
		}
	case Multiplied:
		for n, p := range links {
			both := p[ef] * p[fe]
			links[n] = pair{both, both}
		}
	}
}

// counts are the expected counts that the M step uses.
type counts struct {
	link      []pair // per slot
	null      [2][]float64
	positions [2][]float64 // expected uses of the parameters of positions
	logP      [2]float64
	skipped   []em.Skipped // sentences of probability 0, which do not count
}

func (c *counts) clear(m *machine) {
	clear(c.link)
	for d := range c.null {
		clear(c.null[d])
		c.positions[d] = resized(c.positions[d], m.positions[d].size())
		clear(c.positions[d])
	}
	c.logP, c.skipped = [2]float64{}, nil
}

// add adds what was found in a shard.
func (s *shards) add(c *counts, shard int, a *tally) {
	link := c.link
	for n, slot := range s.slots[s.cell[shard]:s.cell[shard+1]] {
		x, p := &link[slot], &a.link[n]
		x[ef] += p[ef]
		x[fe] += p[fe]
	}
	for d := range c.null {
		sum := c.null[d]
		for n, word := range s.words(1-d, shard) {
			sum[word] += a.null[d][n]
		}
		floats.Add(c.positions[d], a.positions[d])
		c.logP[d] += a.logP[d]
	}
	c.skipped = append(c.skipped, a.skipped...)
}

// expect makes an E step over the corpus.
func (s *shards) expect(ctx context.Context, r *em.Reducer[worker, tally], workers int, m *machine, how Counting, c *counts) error {
	c.clear(m)
	return r.Sum(ctx, workers, 0, s.len(), func(w *worker, shard int, a *tally) error {
		return s.visit(w, m, how, shard, a)
	}, func(shard int, a *tally) { s.add(c, shard, a) })
}
