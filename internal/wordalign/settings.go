package wordalign

import (
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/align"
)

// The ways to train: by align.Recipe, each direction by itself, and like Liang, Taskar and
// Klein 2006 and Liang, Klein and Jordan 2007 (domain-approximate).
const (
	Agreement     = "agreement"
	Independent   = "independent"
	Product2006   = "product2006"
	Agreement2007 = "agreement2007"
)

// Settings are the settings of the model and its training in the flags.
type Settings struct {
	Spelling *bool
	Prune    *float64

	positions           *string
	classes, iterations *int
}

// positions are the values of -model, in their order.
var positions = []string{"hmm", "model2", "diagonal", "model1"}

// kinds maps these to the models of positions.
var kinds = map[string]align.Positions{"hmm": align.HMM, "model2": align.Model2, "diagonal": align.Diagonal, "model1": align.Model1}

// NewSettings declares -model, -classes, -spelling, -prune and -iterations.
func NewSettings(p *program.Program) *Settings {
	s := &Settings{
		positions:  p.Choice("model", "the model of the positions that words come from", positions...),
		classes:    p.Flags.Int("classes", 0, "let jumps depend on `N` classes of words of each side; 0: with -train agreement 20, or 50 in a text of 50,000 lines and more, and else 1"),
		Spelling:   p.Flags.Bool("spelling", false, "expect words with the same beginning to have the same translations, and to be translations of each other"),
		Prune:      p.Flags.Float64("prune", 0, "leave out pairs of words that are together in less than the share `P` of the places of the rarer one, to save memory: .02 costs no accuracy"),
		iterations: p.Iterations(5),
	}
	Within(p, "classes", s.classes, 0, 250)
	Within(p, "prune", s.Prune, 0, .999)
	return s
}

// Options returns the options of a way of training for the given number of sentences.
func (s *Settings) Options(how string, sentences int) (*align.Options, *align.FitOptions) {
	o, f := align.Recipe(sentences)
	switch how {
	case Independent:
		f.Stages = stages(align.Own, align.Separate)
		o.Decode = align.Own
	case Product2006:
		f.Stages = stages(align.Own, align.Multiplied)
		f.Stages[0].Counting = align.Multiplied
		o.Decode = align.Own
	case Agreement2007:
		f.Stages = stages(align.Joint, align.Averaged)
	}
	if how != Agreement {
		o.Classes, o.Deleted = 1, 0
		f.Prior.Classes, f.Prior.Jumps = 0, 0
	}
	if *s.classes > 0 {
		o.Classes = *s.classes
	}
	last := &f.Stages[len(f.Stages)-1]
	last.Iterations, last.Positions = *s.iterations, kinds[*s.positions]
	if *s.Spelling {
		f.Prior.Pair, f.Prior.Stem, f.Prior.Strength = spelling.Pair, spelling.Stem, spelling.Strength
	}
	return o, f
}

// stages returns the stages of the papers: IBM Model 1, of each direction by itself,
// initializes a hidden Markov model.
func stages(step align.EStep, counting align.Counting) []align.Stage {
	return []align.Stage{
		{Positions: align.Model1, Iterations: 5},
		{Positions: align.HMM, EStep: step, Counting: counting},
	}
}

// Iterations returns the total number of iterations.
func Iterations(f *align.FitOptions) int {
	n := 0
	for _, s := range f.Stages {
		n += s.Iterations
	}
	return n
}

// Cognates returns the pseudocount of links of two words with -spelling: one if they begin
// alike, or if they are short and equal.
func Cognates(e, f string) float64 {
	common := 0
	x, y := []rune(e), []rune(f)
	for common < min(len(x), len(y)) && x[common] == y[common] {
		common++
	}
	if common >= cognateLetters || common == len(x) && common == len(y) {
		return 1
	}
	return 0
}

// spelling is the prior of words given their spelling, for languages that inflect by suffixes
// and share an alphabet.
var spelling = align.Prior{Pair: Cognates, Stem: stem, Strength: 2}

// stemLetters is the maximum length of a stem, and cognateLetters the minimum length of the
// common beginning of cognates.
const (
	stemLetters    = 5
	cognateLetters = 4
)

// stem returns the beginning of a word.
func stem(word string) string {
	n := 0
	for i := range word {
		if n == stemLetters {
			return word[:i]
		}
		n++
	}
	return word
}
