package align

import (
	"fmt"
	"math"
	"slices"
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
// It takes the time of Posteriors for each iteration, and one more. A stage has the positions
// of the model, or Model1. The error wraps ErrInvalid for another one, or for options that make
// no sense, or is one of Posteriors.
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
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	a := m.aligners()
	defer m.pairs.Put(a)
	a.read(s)
	x, err := newAdaptation(a, s, o.Prior.Pair)
	if err != nil {
		return nil, nil, err
	}
	for _, stage := range o.Stages {
		for range stage.Iterations {
			logP, err := x.infer(stage.EStep, stage.Positions)
			if err != nil {
				return nil, nil, err
			}
			x.count(stage.Counting, logP)
			x.maximize()
		}
	}
	logP, err := x.infer(m.decode, m.kind)
	if err != nil {
		return nil, nil, err
	}
	return a.posteriorsOf(logP)
}

// adaptation is a sentence with a lexicon of its own: its words and all their pairs.
type adaptation struct {
	*alignerPair
	numbers [2][]int32 // of the words of the sentence, each different one of which has a number
	cells   []int32    // the slots of its pairs

	base    []float64    // two per slot: links in the training text, or beforehand
	seen    [2][]float64 // per word: how often it was there
	all     [2][]float64 // per word: links that are not of this sentence
	nullT   [2][]float64 // per word seen in a direction: links with NULL there
	nullAll [2]float64

	counts, translations []float64 // two per slot
	fromNone, null       [2][]float64
	classes              [2][]int32
	p, q                 []float64 // posteriors, per cell
}

// newAdaptation returns the sentence s, which a has read, before any iteration. The error
// wraps ErrInvalid.
func newAdaptation(a *alignerPair, s Sentence, pair func(source, target string) float64) (*adaptation, error) {
	m, x := a.model, &adaptation{alignerPair: a}
	for side, words := range [2][]string{s.Source, s.Target} {
		number := map[string]int32{}
		for i, w := range words {
			k, ok := number[w]
			if !ok {
				k = int32(len(number))
				number[w] = k
				x.add(side, a.words[side][i])
			}
			x.numbers[side] = append(x.numbers[side], k)
		}
	}
	size := 2 * len(x.seen[0]) * len(x.seen[1])
	x.base, x.counts, x.translations = make([]float64, size), make([]float64, size), make([]float64, size)
	x.p, x.q = make([]float64, len(a.slots)), make([]float64, len(a.slots))
	x.all = [2][]float64{slices.Clone(x.seen[0]), slices.Clone(x.seen[1])}
	theta := m.table.translations.In(m.theta)
	visited := make([]bool, size)
	for n, e := range x.numbers[0] {
		for j, f := range x.numbers[1] {
			slot := int(e)*len(x.seen[1]) + int(f)
			x.cells = append(x.cells, int32(slot))
			known := a.slots[n*len(x.numbers[1])+j]
			switch {
			case visited[slot]:
			case known != unknown:
				x.base[2*slot+ef] = theta[2*known+ef] * x.seen[0][e]
				x.base[2*slot+fe] = theta[2*known+fe] * x.seen[1][f]
			case pair != nil:
				links, err := linksBefore(pair, s.Source[n], s.Target[j])
				if err != nil {
					return nil, err
				}
				x.base[2*slot+ef], x.base[2*slot+fe] = links, links
				x.all[ef][e] += links
				x.all[fe][f] += links
			}
			visited[slot] = true
		}
	}
	x.start()
	return x, nil
}

// add adds a word of a side, given its number in the model.
func (x *adaptation) add(side int, word int32) {
	m, d := x.model, 1-side // the direction that generates the word
	seen, null := 0.0, 0.0
	class := int32(0)
	if word != unknown {
		seen, null = float64(m.seen[side][word]), m.table.null[d].In(m.theta)[word]
		if m.classes[side] != nil {
			class = m.classes[side][word]
		}
	}
	x.nullAll[d] = nullShare * float64(m.tokens[side])
	x.nullT[d] = append(x.nullT[d], null*x.nullAll[d])
	x.fromNone[d], x.null[d] = append(x.fromNone[d], 0), append(x.null[d], 0)
	x.seen[side] = append(x.seen[side], seen)
	if m.classes[side] != nil {
		x.classes[side] = append(x.classes[side], class)
	}
}

// start counts what Model 1 does at first: of a word the links with all of the other side,
// and with NULL, equally.
func (x *adaptation) start() {
	own := [2]float64{1 / float64(len(x.numbers[0])), 1 / float64(len(x.numbers[1]))}
	for _, slot := range x.cells {
		x.counts[2*slot+ef] += own[ef]
		x.counts[2*slot+fe] += own[fe]
	}
	for d := range x.fromNone {
		for _, w := range x.numbers[1-d] {
			x.fromNone[d][w] += 1 / float64(len(x.numbers[d])+1)
		}
	}
	x.maximize()
}

// maximize is the M step: relative frequencies in the training text and the sentence
// together, none less than the floor.
func (x *adaptation) maximize() {
	numE, numF := len(x.seen[0]), len(x.seen[1])
	all := [2][]float64{slices.Clone(x.all[0]), slices.Clone(x.all[1])}
	for e := range numE {
		for f := range numF {
			slot := e*numF + f
			all[ef][e] += x.counts[2*slot+ef]
			all[fe][f] += x.counts[2*slot+fe]
		}
	}
	floor := x.model.floor
	for e := range numE {
		for f := range numF {
			for d, total := range [2]float64{all[ef][e], all[fe][f]} {
				i := 2*(e*numF+f) + d
				x.translations[i] = floor
				if total > 0 {
					x.translations[i] = max((x.base[i]+x.counts[i])/total, floor)
				}
			}
		}
	}
	for d, counts := range x.fromNone {
		total := x.nullAll[d]
		for _, c := range counts {
			total += c
		}
		for w, c := range counts {
			x.null[d][w] = floor
			if total > 0 {
				x.null[d][w] = max((x.nullT[d][w]+c)/total, floor)
			}
		}
	}
}

// infer finds the posteriors of both directions with positions of a kind, and returns ln of
// the path sums.
func (x *adaptation) infer(step EStep, kind Positions) (logP [2]float64, err error) {
	m := *x.machine(step)
	m.lexicon, m.translations, m.null, m.classes = nil, x.translations, x.null, x.classes
	for d, a := range x.aligners {
		if kind == Model1 {
			m.positions[d] = &independent{null: x.model.null}
		}
		total, _, err := a.visit(&m, x.cells, x.numbers)
		if err != nil {
			return logP, err
		}
		logP[d] = total.Log()
	}
	return logP, nil
}

// count counts the links of the sentence, given ln of the path sums. Where it has probability
// 0 in a direction none is counted: what training has skipped counts nothing.
func (x *adaptation) count(counting Counting, logP [2]float64) {
	clear(x.counts)
	for d := range x.fromNone {
		clear(x.fromNone[d])
	}
	if math.IsInf(logP[ef]+logP[fe], -1) {
		return
	}
	x.aligners[ef].posteriors(x.p, ef)
	x.aligners[fe].posteriors(x.q, fe)
	for k, slot := range x.cells {
		p, q := x.p[k], x.q[k]
		switch counting {
		case Averaged:
			p = (p + q) / 2
			q = p
		case Multiplied:
			p *= q
			q = p
		}
		x.counts[2*slot+ef] += p
		x.counts[2*slot+fe] += q
	}
	for d, counts := range x.fromNone {
		for j, w := range x.numbers[1-d] {
			counts[w] += x.aligners[d].fromNull[j]
		}
	}
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
