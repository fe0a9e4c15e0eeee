package main

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring/expr"
)

// substitution is the model letter n-gram ∘ channel: every letter of an English text becomes a
// letter of the cipher text with a probability that is trained, and a space remains a space.
type substitution struct {
	*channel.Model
	// rows has the probabilities of the substitutions of each plain letter with candidates, and
	// outcomes their cipher letters.
	rows     [letters + 1]*em.Group
	outcomes [letters + 1][]int32
}

// newSubstitution returns the model with the substitutions that are positive in start, and
// initial probabilities in proportion to start.
func newSubstitution(source *ngram.Model, start *table) (*substitution, error) {
	params := em.NewParams()
	english, err := ngram.Acceptor(source, params.Space(), params.Space().Const)
	if err != nil {
		return nil, err
	}
	s := new(substitution)
	arcs := []fst.Arc[expr.W]{{In: space, Out: space, Weight: expr.One}}
	for e := int32(1); e <= letters; e++ {
		var p []float64
		for f, x := range start[e] {
			if x > 0 {
				s.outcomes[e], p = append(s.outcomes[e], int32(f)), append(p, x)
			}
		}
		if len(p) == 0 {
			continue
		}
		floats.Scale(1/floats.Sum(p), p)
		s.rows[e] = params.Group(text([]int32{e}), len(p), em.Multinomial{})
		s.rows[e].SetStart(p)
		for i, f := range s.outcomes[e] {
			arcs = append(arcs, fst.Arc[expr.W]{In: e, Out: f, Weight: s.rows[e].Weight(i)})
		}
	}
	s.Model = channel.New(params, english, fst.OneState(params.Space(), expr.One, arcs...))
	return s, nil
}

// table has a number for each plain letter (row) and cipher letter (column), both from 1.
type table [letters + 1][letters + 1]float64

// table arranges parameters, or their counts, by plain and cipher letter.
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

// shown is the number of letters of a text to show.
const shown = 70

// read returns the beginning of a cipher text, with each letter replaced by the plain letter
// that most probably produces it.
func (s *substitution) read(cipher [][]int32, theta []float64) string {
	t := s.table(theta)
	var plain []int32
	for _, f := range cipher[0][:min(shown, len(cipher[0]))] {
		if f == space {
			plain = append(plain, space)
			continue
		}
		best := int32(1)
		for e := int32(2); e <= letters; e++ {
			if t[e][f] > t[best][f] {
				best = e
			}
		}
		plain = append(plain, best)
	}
	return text(plain)
}

// fitted is a trained model.
type fitted struct {
	*em.Result
	likelihood em.Likelihood // of the text
	// learnt has the probabilities of the substitutions, counts their expected numbers in the
	// text.
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
	return &fitted{result, likelihood, s.table(result.Theta), counts}, nil
}

// of returns the likelihood of a cipher text.
func (s *substitution) of(cipher [][]int32) (em.Likelihood, error) {
	var data cascade.Data
	for _, paragraph := range cipher {
		data.Examples = append(data.Examples, cascade.Example{Y: cascade.Labels(paragraph...)})
	}
	return s.Likelihood(data)
}

// expected returns the expected number of each substitution in the text at theta.
func (s *substitution) expected(ctx context.Context, text em.Likelihood, theta []float64, workers int) (*table, error) {
	e, err := text.Expect(ctx, em.Query{Theta: theta, Workers: workers})
	if err != nil {
		return nil, err
	}
	return s.table(e.Counts), nil
}
