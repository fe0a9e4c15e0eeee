package main

import (
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring/expr"
)

// tree is the model: a hidden tape of units, and the tapes on which they are observed.
//
//	source → units ┬→ letters
//	               ├→ romaji
//	               └→ sounds
//
// Units follow each other by bigrams, on the edge from the source; the tape at its other end is
// never observed. A unit spells its letter on one tape, and its romaji, which are katakana one
// to one, on another. It draws its sounds on the third. So the edge to an unobserved tape sums
// to 1 for all units, and is left out.
type tree struct {
	params                          *em.Params
	source, letters, romaji, sounds *fst.FST[expr.W]
}

// Parameters begin at means: the followers of a unit at the smoothed bigrams of the pairs, and
// its sounds at the sounds of its letter. Their priors are Dirichlet distributions around the
// means, with these concentrations.
const (
	followerPrior = 100
	soundsPrior   = 5
)

// leastSilent is the least probability, in the pairs, of a unit without romaji after another;
// rarer ones are not allowed there. The hidden part between two romaji is a sum over sequences
// of such units, an expression for each two units around them.
const leastSilent = .01

func newTree(bigrams *pairgram.Model, sounds map[int32][]outcome) (*tree, error) {
	t := &tree{params: em.NewParams()}
	units := bigrams.Chunks().All()
	var err error
	if t.source, err = t.newSource(units, bigrams.NGrams()); err != nil {
		return nil, err
	}
	if t.letters, err = t.channel(units, func(i int) []spelling { return []spelling{{units[i].Source, expr.One}} }); err != nil {
		return nil, err
	}
	if t.romaji, err = t.channel(units, func(i int) []spelling { return []spelling{{units[i].Target, expr.One}} }); err != nil {
		return nil, err
	}
	t.sounds, err = t.channel(units, func(i int) []spelling {
		outcomes := sounds[units[i].Source[0]]
		means := make([]float64, len(outcomes))
		for j, o := range outcomes {
			means[j] = o.prob
		}
		g := t.group(fmt.Sprintf("sounds of %d", i+1), means, soundsPrior)
		spellings := make([]spelling, len(outcomes))
		for j, o := range outcomes {
			spellings[j] = spelling{o.sounds, g.Weight(j)}
		}
		return spellings
	})
	return t, err
}

// group makes a group of parameters that begin at means, with a prior around them.
func (t *tree) group(name string, means []float64, concentration float64) *em.Group {
	alphas := make([]float64, len(means))
	for i, p := range means {
		alphas[i] = 1 + concentration*p
	}
	g := t.params.Group(name, len(means), em.Dirichlet{Alphas: alphas})
	g.SetStart(means)
	return g
}

// newSource returns the acceptor of sequences of units. Its states are the units, and the
// beginning.
func (t *tree) newSource(units []pairgram.Chunk, bigrams *ngram.Model) (*fst.FST[expr.W], error) {
	b := fst.NewBuilder(t.params.Space())
	b.AddStates(len(units) + 1)
	b.AddStart(0, expr.One)
	for s := range int32(len(units) + 1) {
		context := bigrams.Start()
		if s > 0 {
			context, _ = bigrams.Step(context, s)
		}
		followers, means, sum := []int32{ngram.End}, []float64{0}, 0.0
		for u := range int32(len(units) + 1) {
			_, logp := bigrams.Step(context, u) // the end is 0
			p := math.Exp(logp)
			switch {
			case u == ngram.End:
				means[0] = p
			case len(units[u-1].Target) == 0 && p < leastSilent:
				continue
			default:
				followers, means = append(followers, u), append(means, p)
			}
			sum += p
		}
		for i := range means {
			means[i] /= sum
		}
		g := t.group(fmt.Sprintf("after %d", s), means, followerPrior)
		b.SetFinal(s, g.Weight(0))
		for i, u := range followers[1:] {
			b.AddArc(s, fst.Arc[expr.W]{In: u, Out: u, Weight: g.Weight(i + 1), To: u})
		}
	}
	return b.Freeze()
}

// spelling is up to two symbols, and the weight with which a unit becomes them.
type spelling struct {
	symbols []int32
	weight  expr.W
}

// channel returns the machine that maps each unit to one of its spellings. After the first of
// two symbols it is in the state of the second.
func (t *tree) channel(units []pairgram.Chunk, spellings func(i int) []spelling) (*fst.FST[expr.W], error) {
	b := fst.NewBuilder(t.params.Space())
	home := b.AddState()
	b.AddStart(home, expr.One)
	b.SetFinal(home, expr.One)
	second := map[int32]int32{}
	for i := range units {
		for _, x := range spellings(i) {
			a := fst.Arc[expr.W]{In: int32(i + 1), Weight: x.weight, To: home}
			if len(x.symbols) > 0 {
				a.Out = x.symbols[0]
			}
			if len(x.symbols) > 1 {
				last := x.symbols[1]
				if _, ok := second[last]; !ok {
					second[last] = b.AddState()
					b.AddArc(second[last], fst.Arc[expr.W]{Out: last, Weight: expr.One, To: home})
				}
				a.To = second[last]
			}
			b.AddArc(home, a)
		}
	}
	return b.Freeze()
}

// chain returns the part of the tree with one observed tape, which the last machine writes, or
// with two, the first of which is the input. It is the short form of a star of one or two
// tapes.
func (t *tree) chain(machines ...cascade.Stage) cascade.Problem {
	return cascade.Problem{Params: t.params, Stages: machines}
}

// star returns the part of the tree with the source, the units and the observed outputs of
// these channels, which are tapes seen and above.
func (t *tree) star(channels ...cascade.Stage) cascade.Problem {
	const source, units = 0, 1
	edges := []cascade.Edge{{From: source, To: units, Machines: []cascade.Stage{t.source}}}
	for i, s := range channels {
		edges = append(edges, cascade.Edge{From: units, To: seen + i, Machines: []cascade.Stage{s}})
	}
	return cascade.Problem{Params: t.params, Edges: edges}
}

// seen is the first observed tape of a star.
const seen = 2
