package align

import "fmt"

// Posterior holds the probability, given one Sentence, of every link of its words.
// A model that generates the target lets each of its words come from one source word or
// from none: each column then sums to at most 1, and what is missing is the posterior of
// NULL. For the other direction the same holds of the rows.
type Posterior struct {
	Source, Target int       // numbers of words: E and F in formulas
	P              []float64 // E×F, row by row: link (e, f) is entry e·F + f
}

// NewPosterior returns a Posterior of zeros. It panics if a length is negative.
func NewPosterior(e, f int) *Posterior {
	if e < 0 || f < 0 {
		panic(fmt.Sprintf("align: a posterior of %d×%d words", e, f))
	}
	return &Posterior{Source: e, Target: f, P: make([]float64, e*f)}
}

// At returns the posterior of the link of source word e and target word f.
func (p *Posterior) At(e, f int) float64 { return p.P[e*p.Target+f] }

// Row returns the posteriors of the links of source word e, one for each target word.
// It shares their memory.
func (p *Posterior) Row(e int) []float64 { return p.P[e*p.Target : (e+1)*p.Target : (e+1)*p.Target] }

// Words returns the numbers of words of the Sentence.
func (p *Posterior) Words() (e, f int) { return p.Source, p.Target }
