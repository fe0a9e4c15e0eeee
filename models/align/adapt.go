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

// nullShare is the assumed fraction of words of the training text that came from NULL, when Adapt
// adds new text to it.
const nullShare = .02

// Adapt returns a model of the new text c, trained as if its sentences had been in the training
// text of m. Training uses the stages of opts (nil: the stages of Recipe) and starts from the
// uniform distribution. Each E step counts the links of c and adds the counts of the training text,
// in proportion to the frequency of each word there. This is incremental EM (Neal and Hinton 1998)
// without recomputing the training text. Pairs that are not in the training text have the
// pseudo-links of Prior.Pair. Of the other options only Workers has an effect, and not on the
// result. A new word or pair is thus trained on all sentences of c that contain it, like rare words
// in training, whereas m.Posteriors only has Options.Floor for it. If c is a single sentence, its
// links do not depend on other new sentences. PosteriorsOf of the returned model deletes own counts
// as for m.
//
// The position model of m is kept, and m is not modified. The returned model contains only the
// words of c. Each iteration, and one more, takes about the time of Posteriors, independent of the
// length of the training text. A stage has the positions of m, or Model1. The error wraps
// ErrInvalid for other positions, invalid options or an empty corpus, or comes from ctx.
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
	// All iterations are run, whatever their gain, as for a text of many sentences.
	fit := &FitOptions{Stages: o.Stages, Options: em.Options{Workers: o.Workers, Tolerance: -1}}
	if _, err := out.run(ctx, c.slots(), &prior{law: em.Multinomial{}}, fit); err != nil {
		return nil, err
	}
	out.enter(m.kind)
	return out, nil
}

// onto returns a model of c before training: its counts are added to the training text of m, and
// its position model is the model of m.
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

// known returns the indices of the words of c in m.
func (m *Model) known(c *Corpus) (of [2][]int32) {
	for side := range of {
		for _, w := range c.words[side].words {
			of[side] = append(of[side], m.sides[side].words.find(w))
		}
	}
	return of
}

// before returns the law of the translations in c, given the indices of its words in m. The initial
// counts are as in Model 1: each word is linked equally to all words of the other side.
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

// frequencies returns the number of occurrences of each word in a text, and the total.
func frequencies(words []int32, vocabulary int) (of []int32, all int) {
	of = make([]int32, vocabulary)
	for _, w := range words {
		of[w]++
	}
	return of, len(words)
}

// checkSeen returns the total of the frequencies, or an error if they are negative, too large or
// not one per word.
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

// added is the law of probabilities estimated from earlier counts plus new ones. Parameters are in
// rows. The rest of a row, for words outside the sentence, does not change. The prior is Σ
// before·ln θ + Σ (all − Σ before)·ln(1 − Σ θ), the latter for each row.
type added struct {
	floored
	row    []int32   // per parameter
	before []float64 // per parameter: counts
	all    []float64 // per row: counts, including those of its parameters
	first  []float64 // per parameter: the initial counts
	floor  float64
	total  []float64 // storage, per row
	words  int       // of E: their rows precede the rows of words of F
}

func newAdded(parameters, rows int, floor float64) *added {
	return &added{
		row: make([]int32, parameters), before: make([]float64, parameters), first: make([]float64, parameters),
		all: make([]float64, rows), total: make([]float64, rows), floor: floor,
	}
}

// leastRest is the smallest rest of a row that exceeds rounding errors. The rest of a row with
// floors may be negative.
const leastRest = 1e-9

// Start is an M step with the initial counts.
func (a *added) Start(theta []float64) {
	if err := a.Maximize(theta, a.first); err != nil {
		panic(err) // the counts are this package's own
	}
}

// Random does not change theta: there is only one start.
func (*added) Random([]float64, rand.Source) {}

// LogPrior returns the log prior of the earlier counts.
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

// Maximize sets the relative frequencies of all counts, but at least the floor.
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
