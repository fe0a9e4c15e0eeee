package align

import "fmt"

// Posterior holds the probability, given one Sentence, of every link of its words.
// A model that generates F from E lets a word of F come from one word of E or from
// none: each column then sums to at most 1, and what is missing is the posterior of
// NULL. For the other direction the same holds of the rows.
type Posterior struct {
	E, F int       // numbers of words
	P    []float64 // E×F, row by row: link (e, f) is entry e·F + f
}

// NewPosterior returns a Posterior of zeros. It panics if a length is negative.
func NewPosterior(e, f int) *Posterior {
	if e < 0 || f < 0 {
		panic(fmt.Sprintf("align: a posterior of %d×%d words", e, f))
	}
	return &Posterior{E: e, F: f, P: make([]float64, e*f)}
}

// At returns the posterior of the link of word e of E and word f of F.
func (p *Posterior) At(e, f int) float64 { return p.P[e*p.F+f] }

// Row returns the posteriors of the links of word e of E, one for each word of F.
// It shares their memory.
func (p *Posterior) Row(e int) []float64 { return p.P[e*p.F : (e+1)*p.F : (e+1)*p.F] }

// Words returns the numbers of words of the Sentence.
func (p *Posterior) Words() (e, f int) { return p.E, p.F }
