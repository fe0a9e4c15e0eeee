package main

import (
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring/expr"
)

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
