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
	link      [2][]float64 // posterior per cell, sentence by sentence, E×F
	null      [2][]float64 // posterior of NULL per word of F, of E
	positions [2][]float64 // expected uses of the parameters of positions
	logP      [2]float64
}

// worker finds the posteriors of sentences; it belongs to one goroutine.
type worker struct {
	emissions emissions
	scratch   [2]*scratch
	emit      []float64 // of the direction E→F, word of F by word of F
	out       links
	found     [2]posteriors
	class     [2][]int32
}

func newWorker() *worker {
	return &worker{scratch: [2]*scratch{newScratch(), newScratch()}}
}

// machine is a model of both directions at fixed parameters, ready for inference.
type machine struct {
	lexicon   *lexicon
	classes   [2][]int32 // of the words of E, of F; nil: one class
	floor     float64
	step      EStep
	positions [2]positions
}

// classes returns the classes of the words of a sentence.
func (w *worker) classes(m *machine, e, f []int32) *[2][]int32 {
	for side, words := range [2][]int32{e, f} {
		of := m.classes[side]
		if of == nil {
			continue
		}
		w.class[side] = resized(w.class[side], len(words))
		for i, word := range words {
			w.class[side][i] = 0
			if word >= 0 {
				w.class[side][i] = of[word]
			}
		}
	}
	return &w.class
}

// prepare gets ready for sentences of so many words.
func (m *machine) prepare(e, f int) error {
	if err := m.positions[ef].prepare(e, f); err != nil {
		return err
	}
	return m.positions[fe].prepare(f, e)
}

// posteriors are those of a sentence in one direction: of its links, E×F, and of NULL
// for each word generated.
type posteriors struct{ link, null []float64 }

// visit sets p to the posteriors of a sentence and returns ln P in both directions. The
// counts of positions are added to counts unless that is nil.
func (w *worker) visit(m *machine, p *[2]posteriors, slots, e, f []int32, counts *[2][]float64) (logP [2]float64, err error) {
	c := w.emissions.of(m.lexicon, m.floor, m.step, slots, e, f, w.classes(m, e, f))
	w.emit = resized(w.emit, len(slots))
	for d := range c {
		out := &w.out
		out.emit, out.null = p[d].link, p[d].null
		if d == ef {
			out.emit = w.emit
		}
		var of []float64
		if counts != nil {
			of = counts[d]
		}
		if err := m.positions[d].visit(&c[d], out, w.scratch[d], of); err != nil {
			return logP, err
		}
		logP[d] = out.logP
	}
	transpose(p[ef].link, w.emit, len(f), len(e))
	return logP, nil
}

// shards cuts a corpus.
type shards struct {
	corpus *Corpus
	slots  []int32
	size   int
	cell   []int // the first cell of each shard
}

func newShards(c *Corpus, slots []int32) *shards {
	s := &shards{corpus: c, slots: slots, size: em.ShardSize(c.Len()), cell: []int{0}}
	cell := 0
	for n := range c.Len() {
		cell += len(c.text[0].sentence(n)) * len(c.text[1].sentence(n))
		if (n+1)%s.size == 0 || n+1 == c.Len() {
			s.cell = append(s.cell, cell)
		}
	}
	return s
}

func (s *shards) len() int { return len(s.cell) - 1 }

// of returns the sentences of a shard.
func (s *shards) of(shard int) (lo, hi int) {
	return shard * s.size, min((shard+1)*s.size, s.corpus.Len())
}

// words returns the words of E, or of F, in a shard.
func (s *shards) words(side, shard int) []int32 {
	t := &s.corpus.text[side]
	lo, hi := s.of(shard)
	return t.words[t.first[lo]:t.first[hi]]
}

// visit makes the E step of a shard.
func (s *shards) visit(w *worker, m *machine, shard int, a *tally) error {
	slots := s.slots[s.cell[shard]:s.cell[shard+1]]
	for d := range a.link {
		a.link[d] = resized(a.link[d], len(slots))
		a.null[d] = resized(a.null[d], len(s.words(1-d, shard)))
		a.positions[d] = resized(a.positions[d], m.positions[d].size())
		clear(a.positions[d])
	}
	a.logP = [2]float64{}
	cell := 0
	var at [2]int // of the next word of E, of F
	lo, hi := s.of(shard)
	for n := lo; n < hi; n++ {
		e, f := s.corpus.text[0].sentence(n), s.corpus.text[1].sentence(n)
		end := cell + len(e)*len(f)
		w.found = [2]posteriors{{a.link[ef][cell:end], a.null[ef][at[1] : at[1]+len(f)]},
			{a.link[fe][cell:end], a.null[fe][at[0] : at[0]+len(e)]}}
		logP, err := w.visit(m, &w.found, slots[cell:end], e, f, &a.positions)
		if err != nil {
			return fmt.Errorf("sentence %d: %w", n, err)
		}
		if math.IsInf(logP[ef]+logP[fe], -1) {
			return fmt.Errorf("sentence %d: %w", n, em.ErrUnderivable)
		}
		a.logP[ef] += logP[ef]
		a.logP[fe] += logP[fe]
		cell, at[0], at[1] = end, at[0]+len(e), at[1]+len(f)
	}
	return nil
}

// counts are expected counts, of which the M step is made.
type counts struct {
	link      []pair // per slot
	null      [2][]float64
	positions [2][]float64 // expected uses of the parameters of positions
	logP      [2]float64
}

func (c *counts) clear(m *machine) {
	clear(c.link)
	for d := range c.null {
		clear(c.null[d])
		c.positions[d] = resized(c.positions[d], m.positions[d].size())
		clear(c.positions[d])
	}
	c.logP = [2]float64{}
}

// add adds what was found in a shard.
func (s *shards) add(c *counts, shard int, a *tally, how Counting) {
	slots := s.slots[s.cell[shard]:s.cell[shard+1]]
	p, q := a.link[ef], a.link[fe]
	p, q = p[:len(slots)], q[:len(slots)]
	switch how {
	case Separately:
		for n, slot := range slots {
			x := &c.link[slot]
			x[ef] += p[n]
			x[fe] += q[n]
		}
	case Averaged:
		for n, slot := range slots {
			x, both := &c.link[slot], (p[n]+q[n])/2
			x[ef] += both
			x[fe] += both
		}
	case Multiplied:
		for n, slot := range slots {
			x, both := &c.link[slot], p[n]*q[n]
			x[ef] += both
			x[fe] += both
		}
	}
	for d := range c.null {
		sum := c.null[d]
		for n, word := range s.words(1-d, shard) {
			sum[word] += a.null[d][n]
		}
		floats.Add(c.positions[d], a.positions[d])
		c.logP[d] += a.logP[d]
	}
}

// expect makes an E step over the corpus.
func (s *shards) expect(ctx context.Context, r *em.Reducer[worker, tally], workers int, m *machine, how Counting, c *counts) error {
	c.clear(m)
	return r.Sum(ctx, workers, 0, s.len(), func(w *worker, shard int, a *tally) error {
		return s.visit(w, m, shard, a)
	}, func(shard int, a *tally) { s.add(c, shard, a, how) })
}
