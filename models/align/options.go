package align

import (
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
)

// ErrInvalid is wrapped by errors about options that make no sense and about sentences
// that cannot be aligned: one side is empty or too long.
var ErrInvalid = nested.ErrInvalid

// Options say what a model is like. A nil *Options means the one of Recipe; the zero value
// of a field means what it says there.
type Options struct {
	// Decode is the E step that the model finds posteriors with (default Own).
	Decode EStep
	// Floor is the least translation probability in an E step, and the probability of words
	// and pairs that training has not seen (default 1e-7; negative: 0). Products of posteriors
	// need one: without it, what has become 0 in one direction stays so in both. New
	// sentences need one, too: without it, one word that training has not seen makes a
	// sentence's probability 0.
	Floor float64
	// Null is the probability that a word comes from NULL (default 1/(n+1) in a
	// sentence with n words to come from). Joint E steps want it small, .005 to .02: a
	// link pays for both directions there, and NULL for one.
	Null float64
	// Reach is the greatest difference of positions that has a probability of its own
	// in the HMM; farther ones share one at each end (default 5). Choose the greatest
	// length, up to 255, for a full histogram.
	Reach int
	// Classes is the number of word classes of each side, found by the exchange algorithm,
	// that the HMM's jumps depend on, see Jumps in the package comment (default 1). Each two
	// have 2·Reach+1 probabilities and (Reach+1)² sums of them, and for each goroutine as many
	// counts as probabilities: 50 classes take 1 MB a direction, and 500 take 94.
	Classes int
	// Deleted is the share, from 0 to less than 1, of what a sentence of the training text
	// counted itself that PosteriorsOf leaves out, see Own counts in the package comment (default
	// 0). It has an effect where Decode is Joint and the last stage of Fit counted
	// Multiplied, with the law em.Multinomial, the method em.EM, one start and no Via.
	Deleted float64
}

// FitOptions say how a model is trained. A nil *FitOptions means that of Recipe; the
// zero value of a field means what it says there.
type FitOptions struct {
	// Stages follow each other, each starting with the lexicon of the one before
	// (default: the stages of Recipe).
	Stages []Stage
	// Prior is what is known beforehand (default nothing).
	Prior Prior
	// Options is how em.Fit trains each stage. Start, Iterations and its Observer belong to
	// the stages, and must be zero. Checkpoint names the file of the first stage; the others
	// have .1, .2, … behind it, and what PosteriorsOf leaves out has .own behind that.
	em.Options
	// Via, if not nil, returns what takes the place of the likelihood of a stage: the same
	// sums, made elsewhere by Model.Shard. It is called once in each stage, when Model.Save
	// writes what Shard needs.
	Via func(Stage, em.Divisible) (em.Likelihood, error)
	// Observer, if not nil, is called after each E step by the goroutine that called Fit. It
	// may use the model.
	Observer func(Progress)
}

// defaultFloor is the floor of Options, and of Recipe.
const defaultFloor = 1e-7

// Recipe returns the options that have been found best on English and French, for a text of so
// many sentences, without knowing anything of the languages: a few iterations of Model 1, which
// commits itself early, then an HMM with word classes, more of them where there is more text, and
// the Joint E step for decoding. Both stages count by products of posteriors and back off to the
// word classes.
func Recipe(sentences int) (*Options, *FitOptions) {
	classes := 20
	if sentences >= 50_000 {
		classes = 50
	}
	return &Options{Decode: Joint, Floor: defaultFloor, Classes: classes, Deleted: .9}, &FitOptions{
		Stages: []Stage{{Model1, 3, Own, Multiplied}, {HMM, 5, Own, Multiplied}},
		Prior:  Prior{Classes: 2, Jumps: 500},
	}
}

// complete returns o with defaults in place, those of Recipe for nil, or what is wrong with it.
func (o *Options) complete(sentences int) (Options, error) {
	if o == nil {
		o, _ = Recipe(sentences)
	}
	c := *o
	set(&c.Reach, 5)
	set(&c.Classes, 1)
	set(&c.Floor, defaultFloor)
	if c.Floor < 0 {
		c.Floor = 0
	}
	switch {
	case !(c.Floor >= 0 && c.Floor < 1):
		return c, invalid("floor %g, want it less than 1", c.Floor)
	case !(c.Null >= 0 && c.Null < 1):
		return c, invalid("probability %g of NULL, want it in [0, 1)", c.Null)
	case c.Reach < 1 || c.Reach > maxReach:
		return c, invalid("reach %d, want it from 1 to %d", c.Reach, maxReach)
	case c.Classes < 1:
		return c, invalid("%d word classes", c.Classes)
	case !(c.Deleted >= 0 && c.Deleted < 1):
		return c, invalid("a share %g of a sentence's own counts, want it in [0, 1)", c.Deleted)
	case !c.Decode.legal():
		return c, invalid("decoding with %v", c.Decode)
	}
	return c, nil
}

// complete returns o with defaults in place, or what is wrong with it.
func (o *FitOptions) complete() (FitOptions, error) {
	_, recipe := Recipe(0)
	if o == nil {
		o = recipe
	}
	c := *o
	if c.Stages == nil {
		c.Stages = recipe.Stages
	}
	switch {
	case !(c.Prior.Strength >= 0) || math.IsInf(c.Prior.Strength, 1):
		return c, invalid("strength %g of stems, want a finite number ≥ 0", c.Prior.Strength)
	case !(c.Prior.Classes >= 0) || math.IsInf(c.Prior.Classes, 1):
		return c, invalid("strength %g of word classes, want a finite number ≥ 0", c.Prior.Classes)
	case !(c.Prior.Jumps >= 0):
		return c, invalid("strength %g of jumps, want a number ≥ 0 or +Inf", c.Prior.Jumps)
	case c.Start != nil || c.Iterations != 0 || c.Options.Observer != nil:
		return c, invalid("options of em.Fit that belong to the stages: a start, iterations or an observer")
	}
	for n, s := range c.Stages {
		if fault := s.fault(); fault != "" {
			return c, invalid("stage %d: %s", n, fault)
		}
	}
	return c, nil
}

func invalid(format string, args ...any) error {
	return nested.Errorf("align: %w: "+format, append([]any{ErrInvalid}, args...)...)
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// EStep says which translation probabilities an E step, or the decoding, runs a direction
// with. Probabilities given NULL and those of positions are always a direction's own.
type EStep int

const (
	// Own: the direction's own probability of a link.
	Own EStep = iota
	// Joint: the product of both directions' probabilities, as agreement-based learning has it
	// (Liang, Klein and Jordan 2007).
	Joint
)

// String returns what it is called.
func (e EStep) String() string { return named.One(e, "EStep", "own", "joint") }

func (e EStep) legal() bool { return e == Own || e == Joint }

// Counting says what is counted of a link whose posteriors in the two directions are p
// and q. NULL and positions are always counted by a direction's own posterior.
type Counting int

const (
	// Separately: in each direction its own posterior.
	Separately Counting = iota
	// Averaged: (p+q)/2 in both. With the Joint E step this is the M step of
	// domain-approximate product EM.
	Averaged
	// Multiplied: p·q in both, the heuristic of Liang, Taskar and Klein 2006.
	Multiplied
)

// String returns what it is called.
func (c Counting) String() string {
	return named.One(c, "Counting", "separately", "averaged", "multiplied")
}

// Positions is a model of the positions that words come from.
type Positions int

const (
	// Model1: all are equally probable (Brown et al. 1993).
	Model1 Positions = iota
	// Model2: a free distribution for every position and length of both sides.
	Model2
	// Diagonal: Model 2 with one parameter, the tension that keeps links near the
	// diagonal (Dyer, Chahuneau and Smith 2013).
	Diagonal
	// HMM: it depends on the position of the last word (Vogel, Ney and Tillmann 1996).
	HMM
)

// String returns what it is called.
func (p Positions) String() string {
	return named.One(p, "Positions", "Model 1", "Model 2", "diagonal", "HMM")
}

// maxReach bounds Options.Reach: tables grow with its square.
const maxReach = 255

// Stage is a part of the training, an em.Fit of its own. What it counts says how the
// directions agree, and what the objective is:
//
//	Counting     em/agree             objective
//	Separately   Independent          Σ ln of the path sums of both directions
//	Averaged     DomainApproximate    half of that
//	Multiplied   ProductOfPosteriors  Σ ln of the path sums of both directions
//
// and in each case the log prior. It never falls with Own and Separately or with Joint and
// Averaged, where Options.Floor is negative and Prior has no classes. Elsewhere, and for the HMM,
// em.Fit takes the stage for an em.Heuristic. The jumps of the HMM are estimated as if every jump
// could be made everywhere: far jumps, which can be made in few places, get less than they
// should, which does training for agreement some good.
type Stage struct {
	Positions Positions
	// Iterations bounds the iterations; 0 makes none.
	Iterations int
	EStep      EStep
	Counting   Counting
}

// fault returns what is wrong with a stage, "" for nothing.
func (s Stage) fault() string {
	switch {
	case s.Positions < Model1 || s.Positions > HMM:
		return fmt.Sprintf("unknown model of positions %d", s.Positions)
	case s.Counting < Separately || s.Counting > Multiplied:
		return fmt.Sprintf("unknown counting %d", s.Counting)
	case s.Iterations < 0:
		return fmt.Sprintf("%d iterations", s.Iterations)
	case !s.EStep.legal():
		return fmt.Sprintf("unknown E step %v", s.EStep)
	}
	return ""
}

// Prior is what is known beforehand. The zero value is nothing: maximum likelihood.
type Prior struct {
	// Law estimates the translation probabilities of each word from its counts
	// (default em.Multinomial): em.Dirichlet and em.Variational are others.
	Law em.Law
	// Pair, if not nil, returns the number of links of two words, ≥ 0 and finite, that
	// are counted without having been seen: more than 0 for cognates, say, or the
	// entries of a dictionary. It is asked about words that occur together.
	Pair func(source, target string) float64
	// Stem, if not nil, names the class of a word: its stem, for instance. Strength is
	// the number of links of each word that are counted as the links of all words of
	// its class would have them, see Backing off in the package comment.
	Stem     func(word string) string
	Strength float64
	// Classes is the same number for the word classes that the HMM's jumps depend on,
	// Options.Classes of each side.
	Classes float64
	// Jumps is the number of jumps of each pair of word classes that are counted as all jumps
	// from a word of the first class are distributed, see Jumps in the package comment. +Inf
	// gives the second class no part.
	Jumps float64
}

// prior is a Prior for the words of a lexicon.
type prior struct {
	law   em.Law
	pair  []float64  // per slot; nil: none
	backs []*backOff // to stems, to word classes
	jumps float64    // as in Prior
}

// newPrior returns what p says of the words of c, which have word classes, nil for one
// class. The error wraps ErrInvalid.
func newPrior(p Prior, l *lexicon, c *Corpus, classes [2][]int32) (*prior, error) {
	out := &prior{law: p.Law, jumps: p.Jumps}
	if out.law == nil {
		out.law = em.Multinomial{}
	}
	// The law is that of groups of all sizes; what is wrong with it at one is wrong at all.
	if err := out.law.Check([]float64{1}); err != nil {
		return nil, invalid("Prior.Law: %w", err)
	}
	if p.Pair != nil {
		out.pair = make([]float64, len(l.col))
		for e, word := range c.words[0].words {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				other := c.words[1].words[l.col[slot]]
				n, err := linksBefore(p.Pair, word, other)
				if err != nil {
					return nil, err
				}
				out.pair[slot] = n
			}
		}
	}
	if p.Stem != nil && p.Strength > 0 {
		var stems [2][]int32
		for side := range stems {
			stems[side] = classesBy(p.Stem, c.words[side].words)
		}
		out.backs = append(out.backs, newBackOff(p.Strength, stems, l, c))
	}
	if p.Classes > 0 {
		for side := range classes {
			if classes[side] == nil {
				classes[side] = make([]int32, len(c.words[side].words))
			}
		}
		out.backs = append(out.backs, newBackOff(p.Classes, classes, l, c))
	}
	return out, nil
}

// linksBefore returns the links of two words that are counted beforehand. The error wraps
// ErrInvalid.
func linksBefore(pair func(source, target string) float64, e, f string) (float64, error) {
	n := pair(e, f)
	if !(n >= 0) || math.IsInf(n, 1) {
		return 0, invalid("%g links of %q and %q beforehand, want a finite number ≥ 0", n, e, f)
	}
	return n, nil
}

// empty reports whether no link is counted without having been seen.
func (p *prior) empty() bool { return p.pair == nil && len(p.backs) == 0 }

// climbs reports whether M steps with the prior raise log likelihood and log prior. What
// classes say depends on the counts; a Valuer's parameters are not known; and a Dirichlet
// density with α < 1 has no value where it makes probabilities 0.
func (p *prior) climbs() bool {
	if _, ok := p.law.(em.Valuer); ok || len(p.backs) > 0 {
		return false
	}
	d, ok := p.law.(em.Dirichlet)
	return !ok || d.Alphas == nil && d.Alpha >= 1
}

// expect finds what classes say, given the counts of the lexicon.
func (p *prior) expect(l *lexicon, counts []float64) {
	for _, b := range p.backs {
		b.expect(p, l, counts)
	}
}

// unseen returns the links of word e and the other word of a slot that are counted in
// directions ef and fe without having been seen.
func (p *prior) unseen(l *lexicon, e, slot int32) (x, y float64) {
	if p.pair != nil {
		x, y = p.pair[slot], p.pair[slot]
	}
	for _, b := range p.backs {
		rate := &b.rate[b.number(l, e, slot)]
		x += rate[ef] * b.share[1][l.col[slot]]
		y += rate[fe] * b.share[0][e]
	}
	return x, y
}
