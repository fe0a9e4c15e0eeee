package align

import (
	"context"
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nonnil"
)

// nullShare is the share of the words of the training text that NULL is taken to have had,
// where new text is added to that.
const nullShare = .02

// Adapt returns a model of the sentences of c, new text, trained on them as if they had been in
// the training text of m: in the stages of opts, nil for those of Recipe, from the uniform
// distribution. The links of c are counted, and with them those that the training text had, as
// often as each word was there: incremental EM (Neal and Hinton 1998), in which the part of the
// training text is not done again. Pairs that were not there have what Prior.Pair says. Of the
// rest of opts only Workers has an effect, and none on the result. So a word or a pair that
// was not is learnt from all sentences of c that it is in, as rare words are in training, where
// m.Posteriors has nothing but Options.Floor. Where c is a single sentence, its links depend on
// no other one. PosteriorsOf of the model returned leaves out own counts as that of m does.
//
// Positions stay those of m, which stays what it is itself. The model returned knows the words of
// c and no others. It takes about the time of Posteriors for each iteration, and one more,
// whatever the length of the training text. A stage has the positions of m, or Model1. The error
// wraps ErrInvalid for another one, options that make no sense or no sentences, or comes from
// ctx.
func (m *Model) Adapt(ctx context.Context, c *Corpus, opts *FitOptions) (*Model, error) {
	nonnil.Check("align: Adapt", "context", ctx, "corpus", c)
	o, err := opts.complete()
	if err != nil {
		return nil, err
	}
	if c.Len() == 0 {
		return nil, invalid("no sentences to adapt to")
	}
	for n, stage := range o.Stages {
		if stage.Positions != Model1 && stage.Positions != m.kind {
			return nil, invalid("stage %d: positions other than the model's", n)
		}
	}
	out, err := m.onto(c, o.Prior.Pair)
	if err != nil {
		return nil, err
	}
	// As many iterations as are asked for, whatever they gain, as for a text of many sentences.
	fit := &FitOptions{Stages: o.Stages, Options: em.Options{Workers: o.Workers, Tolerance: -1}}
	if _, err := out.run(ctx, c.slots(), &prior{law: em.Multinomial{}}, fit); err != nil {
		return nil, err
	}
	out.enter(m.kind)
	return out, nil
}

// onto returns a model of c before training: what it is trained on is added to the training
// text of m, and its positions stay those of m.
func (m *Model) onto(c *Corpus, pair func(source, target string) float64) (*Model, error) {
	out := &Model{words: c.words, lexicon: c.lexicon(), kind: m.kind, jumps: m.jumps, null: m.null, floor: m.floor, decode: m.decode, deleted: m.deleted, least: c.least, rare: m.rare}
	a := m.aligners()
	defer m.pairs.Put(a)
	for d, p := range a.machine(m.decode).positions {
		if h, ok := p.(*hmm); ok {
			out.fixed[d] = h.jumps
		}
	}
	known := m.known(c)
	links, err := m.before(c, known, pair)
	if err != nil {
		return nil, err
	}
	t := &table{params: em.NewParams()}
	t.translations = t.params.Group("translations", 2*len(out.lexicon.col), links)
	for d, side := range sideNames {
		t.null[d] = t.params.Group(sideNames[1-d]+" given NULL", len(known[1-d]), m.nullBefore(c, known[1-d], d))
		jumps := m.table.jumps[d]
		t.jumps[d] = t.params.Group(side+" jumps", jumps.Len(), em.Fixed{Values: jumps.In(m.theta)})
		out.seen[d], _ = frequencies(c.text[d].words, len(known[d]))
		out.tokens[d] = m.tokens[d] + len(c.text[d].words)
		for w, k := range known[d] {
			if k != unknown {
				out.seen[d][w] += m.seen[d][k]
			}
		}
		if m.classes[d] != nil {
			out.classes[d] = classesOf(nil, m.classes[d], m.rare[d], known[d])
		}
		if m.shapes[d] != nil {
			m.place(out, t, c, d)
		}
	}
	out.table, out.theta = t, t.params.Start()
	return out, nil
}

// known returns the numbers that m has for the words of c.
func (m *Model) known(c *Corpus) (of [2][]int32) {
	for side := range of {
		for _, w := range c.words[side].words {
			of[side] = append(of[side], m.words[side].find(w))
		}
	}
	return of
}

// place gives out, with the table t, the positions that m has for the sentences of c in a
// direction.
func (m *Model) place(out *Model, t *table, c *Corpus, d int) {
	s := shapesOf(c, d)
	p := make([]float64, 0, s.cells)
	of := free{m.shapes[d], m.table.free[d].In(m.theta)}
	for _, x := range s.list {
		for j := range x.seen {
			p = p[:len(p)+x.hidden]
			of.row(p[len(p)-x.hidden:], j, x.seen)
		}
	}
	tension := make([]float64, 1+s.rows)
	tension[0] = m.table.tension[d].In(m.theta)[0]
	out.shapes[d] = s
	t.free[d] = t.params.Group(sideNames[d]+" positions", len(p), em.Fixed{Values: p})
	t.tension[d] = t.params.Group(sideNames[d]+" tension", len(tension), em.Fixed{Values: tension})
}

// before returns the law of the translations in c, given the numbers that m has for its words.
// The counts that it starts with are those of Model 1 at first: of a word links with all of the
// other side equally.
func (m *Model) before(c *Corpus, known [2][]int32, pair func(source, target string) float64) (*added, error) {
	l := c.lexicon()
	numE := int32(len(known[0]))
	law := newAdded(2*len(l.col), len(known[0])+len(known[1]), m.floor)
	for side, first := range [2]int32{0, numE} {
		for w, k := range known[side] {
			if k != unknown {
				law.all[int(first)+w] = float64(m.seen[side][k])
			}
		}
	}
	law.words = int(numE)
	theta := m.table.translations.In(m.theta)
	var others, slots []int32
	for e := range numE {
		row := l.col[l.row[e]:l.row[e+1]]
		others = others[:0]
		for _, f := range row {
			others = append(others, known[1][f])
		}
		slots = m.searcher().slots(slots[:0], known[0][e:e+1], others)
		for n, slot := range slots {
			f, links := row[n], 0.0
			if slot == unknown && pair != nil {
				var err error
				if links, err = linksBefore(pair, c.words[0].words[e], c.words[1].words[f]); err != nil {
					return nil, err
				}
			}
			for d, of := range [2]int32{e, numE + f} {
				i := 2*(int(l.row[e])+n) + d
				law.row[i], law.before[i] = of, links
				if slot != unknown {
					law.before[i] = theta[2*int(slot)+d] * float64(m.seen[d][known[d][[2]int32{e, f}[d]]])
				}
				law.all[of] += links
			}
		}
	}
	for n := range c.Len() {
		slots = c.slots().slots(slots[:0], n)
		for _, slot := range slots {
			if slot != unknown {
				law.first[2*slot+ef] += 1 / float64(c.text[0].length(n))
				law.first[2*slot+fe] += 1 / float64(c.text[1].length(n))
			}
		}
	}
	return law, nil
}

// nullBefore is before for the words given NULL in a direction.
func (m *Model) nullBefore(c *Corpus, known []int32, d int) *added {
	law := newAdded(len(known), 1, m.floor)
	law.all[0] = nullShare * float64(m.tokens[1-d])
	for n := range c.Len() {
		for _, w := range c.text[1-d].sentence(n) {
			law.first[w] += 1 / float64(c.text[d].length(n)+1)
		}
	}
	for w, k := range known {
		if k != unknown {
			law.before[w] = m.table.null[d].In(m.theta)[k] * law.all[0]
		}
	}
	return law
}

// frequencies returns how often each word of a text is there, and how many there are.
func frequencies(words []int32, vocabulary int) (of []int32, all int) {
	of = make([]int32, vocabulary)
	for _, w := range words {
		of[w]++
	}
	return of, len(words)
}

// checkSeen returns what is wrong with the frequencies of words.
func checkSeen(seen []int32, words int) (all int, err error) {
	if len(seen) != words {
		return 0, fmt.Errorf("%d words have a frequency, want %d", len(seen), words)
	}
	for w, n := range seen {
		if n < 0 || all > math.MaxInt32-int(n) {
			return 0, fmt.Errorf("word %d has the frequency %d", w, n)
		}
		all += int(n)
	}
	return all, nil
}
