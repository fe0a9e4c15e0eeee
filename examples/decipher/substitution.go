package main

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// table has a number for each plain letter (row) and cipher letter (column), both from 1.
type table [letters + 1][letters + 1]float64

// substitution is the model letter n-gram ∘ channel: every letter of an English text
// becomes a letter of the cipher text with a probability that is to be learnt, and a
// space remains a space.
type substitution struct {
	*channel.Model
	// rows has the probabilities of what becomes of each plain letter that is possible,
	// and outcomes what that is.
	rows     [letters + 1]*em.Group
	outcomes [letters + 1][]int32
}

// newSubstitution returns the model with the substitutions that have a positive number in
// start, with probabilities in proportion to it.
func newSubstitution(source *ngram.Model, start *table) (*substitution, error) {
	params := em.NewParams()
	ring := semiring.Semiring[expr.W](params.Space())
	english, err := ngram.Acceptor(source, ring, params.Space().Const)
	if err != nil {
		return nil, err
	}
	s := new(substitution)
	b := fst.NewBuilder(ring)
	b.AddStates(1)
	b.AddStart(0, ring.One())
	b.SetFinal(0, ring.One())
	b.AddArc(0, fst.Arc[expr.W]{In: space, Out: space, Weight: ring.One()})
	for e := int32(1); e <= letters; e++ {
		var p []float64
		sum := 0.0
		for f, x := range start[e] {
			if x > 0 {
				s.outcomes[e], p = append(s.outcomes[e], int32(f)), append(p, x)
				sum += x
			}
		}
		if sum == 0 {
			continue
		}
		for i := range p {
			p[i] /= sum
		}
		s.rows[e] = params.Group(text([]int32{e}), len(p), em.Multinomial{})
		s.rows[e].SetStart(p)
		for i, f := range s.outcomes[e] {
			b.AddArc(0, fst.Arc[expr.W]{In: e, Out: f, Weight: s.rows[e].Weight(i)})
		}
	}
	letter, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	s.Model = channel.New(params, english, letter)
	return s, nil
}

// table returns parameters, or counts of them, by letters.
func (s *substitution) table(v []float64) *table {
	var t table
	for e, g := range s.rows {
		if g != nil {
			for i, x := range g.In(v) {
				t[e][s.outcomes[e][i]] = x
			}
		}
	}
	return &t
}

// fitted is a model that was trained.
type fitted struct {
	*em.Result
	// learnt are the probabilities of the substitutions, counts how often each is
	// expected in the text.
	learnt, counts *table
}

// fit trains the model on a cipher text.
func (s *substitution) fit(ctx context.Context, cipher [][]int32, opts *em.Options) (*fitted, error) {
	likelihood, err := s.of(cipher)
	if err != nil {
		return nil, err
	}
	result, err := em.Fit(ctx, likelihood, opts)
	if err != nil {
		return nil, err
	}
	counts, err := s.expected(ctx, likelihood, result.Theta, opts.Workers)
	if err != nil {
		return nil, err
	}
	return &fitted{result, s.table(result.Theta), counts}, nil
}

// of returns the likelihood of a cipher text.
func (s *substitution) of(cipher [][]int32) (em.Likelihood, error) {
	var data em.Data
	for _, paragraph := range cipher {
		data.Examples = append(data.Examples, em.Example{Y: em.Labels(paragraph...)})
	}
	return s.Likelihood(data)
}

// expected returns how often each substitution is expected in the text at theta.
func (s *substitution) expected(ctx context.Context, text em.Likelihood, theta []float64, workers int) (*table, error) {
	e, err := text.Expect(ctx, em.Query{Theta: theta, Workers: workers})
	if err != nil {
		return nil, err
	}
	return s.table(e.Counts), nil
}
