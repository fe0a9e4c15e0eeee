package main

import (
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// floor is the number of occurrences that the prior of each context stands for in addition to those
// in the known texts. It keeps unseen pairs of symbols possible.
const floor = 10

// bigrams is a language whose parameters are the probabilities of a symbol, or of the end, after
// the symbol before it. Their prior comes from texts that are known.
type bigrams struct {
	// after has a group for the beginning of a line, 0, and for each symbol. Parameter 0 of a
	// group is the end, and parameter w is symbol w.
	after   [columns]*em.Group
	machine cascade.Stage
	start   []float64 // the bigrams of the known texts
}

// newBigrams returns the bigrams of known texts. The pseudocounts of a context are the known
// probabilities times the number of its occurrences in texts. A string has the channelScale-th
// power of its probability, and channelBonus is added for each symbol and for the end.
func newBigrams(params *em.Params, texts [][]int32) (*bigrams, error) {
	known, err := ngram.Fit(2, space, once(texts), nil)
	if err != nil {
		return nil, err
	}
	var occurrences [columns]float64
	for _, t := range texts {
		occurrences[0]++
		for _, s := range t {
			occurrences[s]++
		}
	}
	l, k := &bigrams{}, params.Space()
	bonus := k.Const(semiring.ScaledFromLog(channelBonus))
	for h := range l.after {
		context, name := known.Start(), "beginning"
		if h > 0 {
			context, _ = known.Step(context, int32(h))
			name = "after " + spelling([]int32{int32(h)})
		}
		p, alphas := make([]float64, columns), make([]float64, columns)
		for w := range p {
			_, logp := known.Step(context, int32(w))
			p[w] = math.Exp(logp)
			alphas[w] = 1 + (floor+occurrences[h])*p[w]
		}
		l.after[h] = params.Group(name, columns, em.Dirichlet{Alphas: alphas})
		l.after[h].SetStart(p)
	}
	l.start = params.Start()
	l.machine, err = pairs(k, func(h, w int) expr.W {
		p, _ := k.RealPower(l.after[h].Weight(w), channelScale)
		return k.Times(p, bonus)
	})
	return l, err
}

// pairs returns the acceptor of all strings of symbols. The weight of a string is the product of
// weight(h, w) for each symbol w, 0 at the end, after h, 0 at the beginning.
func pairs[W any](ring semiring.Semiring[W], weight func(h, w int) W) (*fst.FST[W], error) {
	b := fst.NewBuilder(ring)
	b.AddStates(columns)
	b.AddStart(0, ring.One())
	for h := range columns {
		b.SetFinal(int32(h), weight(h, 0))
		for w := 1; w < columns; w++ {
			s := int32(w)
			b.AddArc(int32(h), fst.Arc[W]{In: s, Out: s, Weight: weight(h, w), To: s})
		}
	}
	return b.Freeze()
}

// ratios returns the acceptor that turns the known language into the trained one. The weight of a
// string is the ratio of its probabilities by the trained and the known bigrams, to a power.
// Kneser, Peters and Klakow 1997, "Language model adaptation using dynamic marginals", do so with
// single words.
func (l *bigrams) ratios(theta []float64, power float64) (*fst.FST[semiring.ScaledFloat], error) {
	return pairs(semiring.Scaled{}, func(h, w int) semiring.ScaledFloat {
		trained, known := l.after[h].In(theta)[w], l.after[h].In(l.start)[w]
		return semiring.ScaledFromLog(power * (math.Log(trained) - math.Log(known)))
	})
}
