package main

import (
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/models/phylo/msa"
)

// savedFormat is the form of a saved model.
const savedFormat saved.Format = "pathsum phylo 2"

// parameters is what is saved: how it was trained, and the parameters of its parts.
type parameters struct {
	Tree        string // Newick
	How         string // one of the ways to train but best
	Columns     int    // of a window
	Own         bool
	Sequence    bool // averaged with a chain
	Frequencies [msa.NumBases]float64
	Single      []float64 // of the model of single columns
	Windows     []float64 // nil if How is single
	Chain       []float64 // nil without Sequence
}

func (m *parameters) save(w io.Writer) error { return savedFormat.Write(w, m) }

func (m *parameters) load(r io.Reader) error {
	if err := savedFormat.Read(r, m); err != nil {
		return fmt.Errorf("no saved model: %w", err)
	}
	return nil
}

// set sets theta to values that were saved.
func set(p *em.Params, theta *[]float64, values []float64) error {
	if err := p.Check(values); err != nil {
		return fmt.Errorf("the saved model: %w", err)
	}
	*theta = values
	return nil
}
