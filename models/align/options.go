package align

import (
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
)

// ErrInvalid is wrapped by errors about invalid options and about sentences that cannot be aligned:
// one side is empty or too long.
var ErrInvalid = nested.ErrInvalid

// Options configure a model. A nil *Options means the options of Recipe; the zero value of a field
// means its documented default.
type Options struct {
	// Decode is the E step that computes posteriors (default Own).
	Decode EStep
	// Floor is the least translation probability in an E step, and the probability of words and
	// pairs outside the training text (default 1e-7; negative: 0). Products of posteriors need a
	// floor: without it, a probability that becomes 0 in one direction stays 0 in both. New
	// sentences need it, too: without it, one unknown word makes the probability of the sentence 0.
	Floor float64
	// Null is the probability that a word comes from NULL (default 1/(n+1) in a sentence with n
	// hidden words). Use a small value, .005 to .02, with Joint E steps: there a link has the
	// probabilities of both directions as factors, NULL only one.
	Null float64
	// MaxJump is the greatest difference of positions with a probability of its own in the HMM;
	// greater ones share one probability at each end (default 5). For a full histogram set it to
	// the greatest length, up to 255.
	MaxJump int
	// Classes is the number of word classes of each side, found by the exchange algorithm, for the
	// HMM's jumps; see Jumps in the package comment (default 1). Each pair of classes has
	// 2·MaxJump+1 probabilities and (MaxJump+1)² sums of them, and for each goroutine one count per
	// probability: 50 classes take 1 MB a direction, and 500 take 94.
	Classes int
	// Deleted is the fraction, from 0 to less than 1, of a training sentence's own counts that
	// PosteriorsOf deletes; see Own counts in the package comment (default 0). It has an effect if
	// Decode is Joint and the last stage of Fit counted Multiplied, with the law em.Multinomial,
	// the method em.EM, one start and no Distribute.
	Deleted float64
}

// FitOptions configure training. A nil *FitOptions means the options of Recipe; the zero value of a
// field means its documented default.
type FitOptions struct {
	// Stages run in order, each starting with the lexicon of the one before (default: the stages of
	// Recipe).
	Stages []Stage
	// Prior is the prior of the parameters (default: none).
	Prior Prior
	// Options configure em.Fit in each stage. Start, Iterations and its Observer belong to the
	// stages and must be zero. Checkpoint is the file of the first stage. The files of later stages
	// have the suffixes .1, .2, …, and the own counts for PosteriorsOf have the further suffix
	// .own.
	em.Options
	// Distribute, if not nil, returns a replacement for the likelihood of a stage: the same sums,
	// computed elsewhere by Model.Shard. It is called once in each stage, when Model.Save writes
	// the model that Shard needs.
	Distribute func(Stage, em.Divisible) (em.Likelihood, error)
	// Observer, if not nil, is called after each E step by the goroutine that called Fit. It
	// may use the model.
	Observer func(Progress)
}

// defaultFloor is the floor of Options, and of Recipe.
const defaultFloor = 1e-7

// Recipe returns the best options found for English and French, for a text with this number of
// sentences, without knowledge of the languages. A few iterations of Model 1 are followed by an HMM
// with word classes, more of them for a larger text, and the Joint E step for decoding. Both stages
// count by products of posteriors and back off to the word classes.
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

// complete returns o with defaults set, or Recipe for nil. It returns an error if o is invalid.
func (o *Options) complete(sentences int) (Options, error) {
	if o == nil {
		o, _ = Recipe(sentences)
	}
	c := *o
	set(&c.MaxJump, 5)
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
	case c.MaxJump < 1 || c.MaxJump > maxReach:
		return c, invalid("reach %d, want it from 1 to %d", c.MaxJump, maxReach)
	case c.Classes < 1:
		return c, invalid("%d word classes", c.Classes)
	case !(c.Deleted >= 0 && c.Deleted < 1):
		return c, invalid("a share %g of a sentence's own counts, want it in [0, 1)", c.Deleted)
	case !c.Decode.legal():
		return c, invalid("decoding with %v", c.Decode)
	}
	return c, nil
}

// complete returns o with defaults set, or an error if it is invalid.
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

// EStep selects the translation probabilities that an E step, or decoding, uses in a direction.
// Probabilities given NULL and probabilities of positions are always a direction's own.
type EStep int

const (
	// Own: the direction's own probability of a link.
	Own EStep = iota
	// Joint: the product of both directions' probabilities, as in agreement-based learning (Liang,
	// Klein and Jordan 2007).
	Joint
)

// String returns the name of the E step.
func (e EStep) String() string { return named.One(e, "EStep", "own", "joint") }

func (e EStep) legal() bool { return e == Own || e == Joint }

// Counting selects the count of a link whose posteriors in the two directions are p and q. NULL and
// positions are always counted by a direction's own posterior.
type Counting int

const (
	// Separate: in each direction its own posterior.
	Separate Counting = iota
	// Averaged: (p+q)/2 in both. With the Joint E step this is the M step of
	// domain-approximate product EM.
	Averaged
	// Multiplied: p·q in both, the heuristic of Liang, Taskar and Klein 2006.
	Multiplied
)

// String returns the name of the counting.
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
	// HMM: the position depends on the position of the last word (Vogel, Ney and Tillmann 1996).
	HMM
)

// String returns the name of the model of positions.
func (p Positions) String() string {
	return named.One(p, "Positions", "Model 1", "Model 2", "diagonal", "HMM")
}

// maxReach bounds Options.MaxJump: tables grow with its square.
const maxReach = 255

// Stage is a part of the training, an em.Fit of its own. Its counting determines how the directions
// agree, and the objective:
//
//	Counting     em/agree             objective
//	Separate     Independent          Σ ln of the path sums of both directions
//	Averaged     DomainApproximate    half of that
//	Multiplied   ProductOfPosteriors  Σ ln of the path sums of both directions
//
// plus the log prior in each case. The objective never decreases with Own and Separate or with
// Joint and Averaged, if Options.Floor is negative and Prior has no classes. In the other cases,
// and for the HMM, em.Fit treats the stage as an em.Heuristic. The jumps of the HMM are estimated
// as if every jump were possible everywhere. Long jumps, possible at few positions only, are thus
// underestimated; this somewhat improves training for agreement.
type Stage struct {
	Positions Positions
	// Iterations bounds the iterations; 0 skips the stage.
	Iterations int
	EStep      EStep
	Counting   Counting
}

// fault returns a description of the error in a stage, "" if it is valid.
func (s Stage) fault() string {
	switch {
	case s.Positions < Model1 || s.Positions > HMM:
		return fmt.Sprintf("unknown model of positions %d", s.Positions)
	case s.Counting < Separate || s.Counting > Multiplied:
		return fmt.Sprintf("unknown counting %d", s.Counting)
	case s.Iterations < 0:
		return fmt.Sprintf("%d iterations", s.Iterations)
	case !s.EStep.legal():
		return fmt.Sprintf("unknown E step %v", s.EStep)
	}
	return ""
}

// Prior is the prior of the parameters. Its zero value means maximum likelihood.
type Prior struct {
	// Law estimates the translation probabilities of each word from its counts
	// (default em.Multinomial): em.Dirichlet and em.Variational are others.
	Law em.Law
	// Pair, if not nil, returns the number of pseudo-links of two words, ≥ 0 and finite: more than
	// 0 for cognates, say, or the entries of a dictionary. It is called for words that occur
	// together.
	Pair func(source, target string) float64
	// Stem, if not nil, returns the name of the class of a word: its stem, for instance. Strength
	// is the number of pseudo-links of each word, distributed like the links of all words of its
	// class; see Backing off in the package comment.
	Stem     func(word string) string
	Strength float64
	// Classes is the same number for the word classes of the HMM's jumps, Options.Classes of each
	// side.
	Classes float64
	// Jumps is the number of pseudo-jumps of each pair of word classes, distributed like all jumps
	// from a word of the first class; see Jumps in the package comment. With +Inf the second class
	// has no effect.
	Jumps float64
}

// prior is a Prior for the words of a lexicon.
type prior struct {
	law   em.Law
	pair  []float64  // per slot; nil: none
	backs []*backOff // to stems, to word classes
	jumps float64    // as in Prior
}

// newPrior returns the prior p for the words of c with the given word classes, nil for one class.
// The error wraps ErrInvalid.
func newPrior(p Prior, l *lexicon, c *Corpus, classes [2][]int32) (*prior, error) {
	out := &prior{law: p.Law, jumps: p.Jumps}
	if out.law == nil {
		out.law = em.Multinomial{}
	}
	// The law applies to groups of all sizes; an error at one size is an error at all.
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

// linksBefore returns the number of pseudo-links of two words. The error wraps ErrInvalid.
func linksBefore(pair func(source, target string) float64, e, f string) (float64, error) {
	n := pair(e, f)
	if !(n >= 0) || math.IsInf(n, 1) {
		return 0, invalid("%g links of %q and %q beforehand, want a finite number ≥ 0", n, e, f)
	}
	return n, nil
}

// empty reports whether there are no pseudo-links.
func (p *prior) empty() bool { return p.pair == nil && len(p.backs) == 0 }

// climbs reports whether M steps with the prior raise the sum of log likelihood and log prior.
// Pseudo-links from classes depend on the counts, the parameters of a Valuer are unknown, and a
// Dirichlet density with α < 1 is infinite at probability 0.
func (p *prior) climbs() bool {
	if _, ok := p.law.(em.Valuer); ok || len(p.backs) > 0 {
		return false
	}
	d, ok := p.law.(em.Dirichlet)
	return !ok || d.Alphas == nil && d.Alpha >= 1
}

// expect computes the pseudo-links of classes, given the counts of the lexicon.
func (p *prior) expect(l *lexicon, counts []float64) {
	for _, b := range p.backs {
		b.expect(p, l, counts)
	}
}

// unseen returns the pseudo-links of word e and the other word of a slot in directions ef and fe.
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
