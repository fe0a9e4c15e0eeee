package align

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
	out := &Model{lexicon: c.lexicon(), kind: m.kind, null: m.null, floor: m.floor, decode: m.decode, deleted: m.deleted, least: c.least}
	known := m.known(c)
	links, err := m.before(c, known, pair)
	if err != nil {
		return nil, err
	}
	of := &laws{translations: links, positions: func(d int, kind Positions) (em.Law, int) {
		p := m.sides[d].positions(kind, 0).onto(out.sides[d].shapes, m.table.positionsOf(d, kind, m.theta))
		return em.Fixed{Values: p}, len(p)
	}}
	for d := range out.sides {
		of.null[d] = m.nullBefore(c, known[1-d], d)
		from, s := &m.sides[d], &out.sides[d]
		s.words, s.jumps = c.words[d], from.jumps
		s.seen, s.tokens = frequencies(c.text[d].words, len(known[d]))
		s.tokens += from.tokens
		for w, k := range known[d] {
			if k != unknown {
				s.seen[w] += from.seen[k]
			}
		}
		if s.rare = from.rare; from.classes != nil {
			s.classes = classesOf(nil, from.classes, s.rare, known[d])
		}
		if from.shapes != nil {
			s.shapes = shapesOf(c, d)
		}
	}
	out.table = out.newTable(of)
	out.theta = out.table.params.Start()
	a := m.aligners()
	defer m.pairs.Put(a)
	for d, p := range a.machine(m.decode).positions {
		if h, ok := p.(*hmm); ok {
			j := *h.jumps
			j.p = slices.Clone(j.p) // m may be trained again
			out.held[d] = &hmm{&j, h.null}
		}
	}
	return out, nil
}

// known returns the numbers that m has for the words of c.
func (m *Model) known(c *Corpus) (of [2][]int32) {
	for side := range of {
		for _, w := range c.words[side].words {
			of[side] = append(of[side], m.sides[side].words.find(w))
		}
	}
	return of
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
				law.all[int(first)+w] = float64(m.sides[side].seen[k])
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
					law.before[i] = theta[2*int(slot)+d] * float64(m.sides[d].seen[known[d][[2]int32{e, f}[d]]])
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
	law.all[0] = nullShare * float64(m.sides[1-d].tokens)
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

// added is the law of probabilities that are estimated by what was counted before and what is
// added to it. They are in rows, and the rest of a row, of words that are not in the sentence,
// stays as it was: the prior is Σ before·ln θ + Σ (all − Σ before)·ln(1 − Σ θ), the latter for
// each row.
type added struct {
	floored
	row    []int32   // per parameter
	before []float64 // per parameter: counts
	all    []float64 // per row: counts, those of its parameters included
	first  []float64 // per parameter: what is added at first
	floor  float64
	total  []float64 // storage, per row
	words  int       // of E: the rows before those of words of F
}

func newAdded(parameters, rows int, floor float64) *added {
	return &added{
		row: make([]int32, parameters), before: make([]float64, parameters), first: make([]float64, parameters),
		all: make([]float64, rows), total: make([]float64, rows), floor: floor,
	}
}

// leastRest is the share of a row that is not due to rounding. Rows with floors may have less
// than nothing.
const leastRest = 1e-9

// Start is an M step with the counts that are added at first.
func (a *added) Start(theta []float64) {
	if err := a.Maximize(theta, a.first); err != nil {
		panic(err) // the counts are this package's own
	}
}

// Random leaves theta as it is: there is one start.
func (*added) Random([]float64, rand.Source) {}

// LogPrior is that of the counts before and elsewhere.
func (a *added) LogPrior(theta []float64) float64 {
	sum := 0.0
	rest, p := slices.Clone(a.all), slices.Repeat([]float64{1}, len(a.all))
	for i, n := range a.before {
		rest[a.row[i]] -= n
		p[a.row[i]] -= theta[i]
		if n > 0 {
			sum += n * math.Log(theta[i])
		}
	}
	for row, n := range rest {
		if n > leastRest*a.all[row] {
			sum += n * math.Log(max(p[row], 0))
		}
	}
	return sum
}

// Maximize sets the relative frequencies of all counts, or the floor where that is more.
func (a *added) Maximize(theta, counts []float64) error {
	copy(a.total, a.all)
	for i, row := range a.row {
		a.total[row] += counts[i]
	}
	for i, row := range a.row {
		if n := a.total[row]; n-n != 0 {
			return fmt.Errorf("%w: counts of total %g", em.ErrParameter, n)
		} else if n > 0 {
			theta[i] = max((a.before[i]+counts[i])/n, a.floor)
		}
	}
	return nil
}

// totals returns the links of words of E and of F in the last M step.
func (a *added) totals() [2][]float64 { return [2][]float64{a.total[:a.words], a.total[a.words:]} }
