package models

import (
	"context"
	"fmt"
	"io"
	"iter"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/nonnil"
)

// RegisterCascade registers cascades, and problems of any other shape, under a name. Their
// saved form is the output of cascade.Model.Save. example makes an example from a line, the same
// one each time, with the symbol tables of the model's machines; several goroutines call it.
// data contains options without examples. Its Way is ByLattice unless it is
// ByBlocks: with BySize, the faster way could differ between shards. With ByBlocks,
// machines are compiled again for each shard.
func RegisterCascade(name string, data cascade.Data, example func(m *cascade.Model, l cascade.Line) (cascade.Example, error)) {
	nonnil.Check("models: RegisterCascade", "function of a line", example)
	if data.Strategy == cascade.BySize {
		data.Strategy = cascade.ByLattice
	}
	beam.Register(name, func(saved io.Reader) (beam.Model, error) {
		m, err := cascade.Load(saved)
		if err != nil {
			return nil, err
		}
		return &cascadeModel{m, data, example}, nil
	})
}

// cascadeModel is a cascade that makes likelihoods of lines.
type cascadeModel struct {
	model   *cascade.Model
	data    cascade.Data
	example func(m *cascade.Model, l cascade.Line) (cascade.Example, error)
}

// Shard returns the likelihood of the lines.
func (c *cascadeModel) Shard(_ context.Context, lines iter.Seq2[cascade.Line, error]) (em.Divisible, error) {
	data := c.data
	for l, err := range lines {
		if err != nil {
			return nil, err
		}
		x, err := c.example(c.model, l)
		if err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %w", em.ErrInvalid, l.File, l.Number, err)
		}
		data.Examples = append(data.Examples, x)
	}
	data.ShardSize = max(1, len(data.Examples))
	l, err := c.model.Likelihood(data)
	if err != nil {
		return nil, err
	}
	return l.(em.Divisible), nil
}
