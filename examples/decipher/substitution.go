package main

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
)

// table has a number for each plain letter (row) and cipher letter (column), both from 1.
type table [letters + 1][letters + 1]float64

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

// read returns how a cipher text begins if each letter is the one from which it is most probable.
func (s *substitution) read(cipher [][]int32, theta []float64) string {
	const shown = 40
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
	var data cascade.Data
	for _, paragraph := range cipher {
		data.Examples = append(data.Examples, cascade.Example{Y: cascade.Labels(paragraph...)})
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
