package align

import (
	"context"
	"fmt"
	"math"

	"example.org/pathsum/em"
)

// nullShare is the share of the words of the training text that NULL is taken to have had,
// where new text is added to that.
const nullShare = .02

// Adapt is Posteriors of a sentence of new text, trained on as if it had been in the
// training text: in the stages of opts, nil for those of Recipe, from the uniform distribution.
// The links of the sentence are counted, and those that the training text had are counted with
// them, as often as each word was there. Pairs that were not have what Prior.Pair says; nothing
// else of opts has an effect. So a word or a pair that was not is learnt from its
// sentence, as rare words are in training, where Posteriors has nothing but Options.Floor.
// The model stays what it is, and so do positions: no sentence depends on another one.
//
// It takes about the time of Posteriors for each iteration, and one more. A stage has the
// positions of the model, or Model1. The error wraps ErrInvalid for another one, or for
// options that make no sense, or is one of Posteriors.
func (m *Model) Adapt(s Sentence, opts *FitOptions) (forward, backward *Posterior, err error) {
	o, err := opts.complete()
	if err != nil {
		return nil, nil, err
	}
	for n, stage := range o.Stages {
		if stage.Positions != Model1 && stage.Positions != m.kind {
			return nil, nil, invalid("stage %d: positions other than the model's", n)
		}
	}
	c := NewCorpus()
	c.whole = true
	if err := c.Add(s); err != nil {
		return nil, nil, err
	}
	local, err := m.local(c, s, o.Prior.Pair)
	if err != nil {
		return nil, nil, err
	}
	// As many iterations as are asked for, whatever they gain, as for a text of many sentences.
	fit := &FitOptions{Stages: o.Stages, Options: em.Options{Workers: 1, Tolerance: -1}}
	if _, err := local.run(context.Background(), c.slots(), &prior{law: em.Multinomial{}}, fit); err != nil {
		return nil, nil, err
	}
	local.enter(m.kind)
	return local.PosteriorsOf(c, 0)
}

// local returns a model of the only sentence of c, which is s, before training: what it is
// trained on is added to the training text of m, and its positions stay those of m.
func (m *Model) local(c *Corpus, s Sentence, pair func(source, target string) float64) (*Model, error) {
	out := &Model{words: c.words, lexicon: c.lexicon(), kind: m.kind, jumps: m.jumps, null: m.null, floor: m.floor, decode: m.decode}
	a := m.aligners()
	defer m.pairs.Put(a)
	a.read(s)
	links, err := m.before(a, c, s, pair)
	if err != nil {
		return nil, err
	}
	for d, p := range a.machine(m.decode).positions {
		if h, ok := p.(*hmm); ok {
			out.fixed[d] = h.jumps
		}
	}
	t := &table{params: em.NewParams()}
	t.translations = t.params.Group("translations", 2*len(out.lexicon.col), links)
	for d, side := range sideNames {
		t.null[d] = t.params.Group(sideNames[1-d]+" given NULL", len(c.words[1-d].words), m.nullBefore(a, c, d))
		jumps := m.table.jumps[d]
		t.jumps[d] = t.params.Group(side+" jumps", jumps.Len(), em.Fixed{Values: jumps.In(m.theta)})
		if m.classes[d] != nil {
			out.classes[d] = make([]int32, len(c.words[d].words))
			for i, w := range c.text[d].words {
				if known := a.words[d][i]; known != unknown {
					out.classes[d][w] = m.classes[d][known]
				}
			}
		}
		if m.shapes[d] == nil {
			continue
		}
		x := shape{c.text[d].length(0), c.text[1-d].length(0)}
		out.shapes[d] = newShapes([]shape{x})
		p := make([]float64, x.hidden*x.seen)
		of := free{m.shapes[d], m.table.free[d].In(m.theta)}
		for j := range x.seen {
			of.row(p[j*x.hidden:(j+1)*x.hidden], j, x.seen)
		}
		t.free[d] = t.params.Group(side+" positions", len(p), em.Fixed{Values: p})
		tension := make([]float64, 1+x.seen)
		tension[0] = m.table.tension[d].In(m.theta)[0]
		t.tension[d] = t.params.Group(side+" tension", len(tension), em.Fixed{Values: tension})
	}
	out.table, out.theta = t, t.params.Start()
	return out, nil
}

// before returns the law of the translations in a sentence that a has read. The counts that
// it starts with are those of Model 1 at first: of a word links with all of the other side
// equally.
func (m *Model) before(a *alignerPair, c *Corpus, s Sentence, pair func(source, target string) float64) (*added, error) {
	l := c.lexicon()
	numE, numF := len(c.words[0].words), len(c.words[1].words)
	law := newAdded(2*len(l.col), numE+numF, m.floor)
	for side, first := range [2]int{0, numE} {
		for i, w := range c.text[side].words {
			if known := a.words[side][i]; known != unknown {
				law.all[first+int(w)] = float64(m.seen[side][known])
			}
		}
	}
	theta := m.table.translations.In(m.theta)
	visited := make([]bool, len(l.col))
	width := c.text[1].length(0)
	for k, slot := range c.slots().slots(nil, 0) {
		law.first[2*slot+ef] += 1 / float64(c.text[0].length(0))
		law.first[2*slot+fe] += 1 / float64(width)
		if visited[slot] {
			continue
		}
		visited[slot] = true
		of := [2]int32{c.text[0].words[k/width], int32(numE) + c.text[1].words[k%width]}
		known, links := a.slots[k], 0.0
		if known == unknown && pair != nil {
			var err error
			if links, err = linksBefore(pair, s.Source[k/width], s.Target[k%width]); err != nil {
				return nil, err
			}
		}
		for d, row := range of {
			i := 2*int(slot) + d
			law.row[i], law.before[i] = row, links
			if known != unknown {
				law.before[i] = theta[2*int(known)+d] * float64(m.seen[d][a.words[d][[2]int{k / width, k % width}[d]]])
			}
			law.all[row] += links
		}
	}
	return law, nil
}

// nullBefore is before for the words given NULL in a direction.
func (m *Model) nullBefore(a *alignerPair, c *Corpus, d int) *added {
	law := newAdded(len(c.words[1-d].words), 1, m.floor)
	law.all[0] = nullShare * float64(m.tokens[1-d])
	for j, w := range c.text[1-d].words {
		law.first[w] += 1 / float64(c.text[d].length(0)+1)
		if known := a.words[1-d][j]; known != unknown {
			law.before[w] = m.table.null[d].In(m.theta)[known] * law.all[0]
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
