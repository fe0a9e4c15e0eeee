package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/hmm"
)

// loadModel returns the model that was saved.
func (e *experiment) loadModel() (m *hmm.Model[int32], err error) {
	err = e.model.Load(func(r io.Reader) error {
		var emission *hmm.Discrete
		if m, emission, err = hmm.LoadDiscrete(r); err != nil {
			return err
		}
		if g := emission.Groups(); emission.States() != dice || g[0].Len() != faces {
			return fmt.Errorf("it is not a model of %d dice of %d faces", dice, faces)
		}
		return nil
	})
	return m, err
}

// errImpossible says that training saw no such throws.
var errImpossible = errors.New("the model says that such throws never come")

// apply says which dice were used in the evenings of -apply.
func (e *experiment) apply(ctx context.Context, r *program.Run, m *hmm.Model[int32]) error {
	s, err := m.Predictor()
	if err != nil {
		return err
	}
	return r.Stream(ctx, program.Stream{
		Answer: func(_ context.Context, line string) ([]string, error) {
			x, err := parse([]string{line})
			if err != nil {
				return nil, err
			}
			path, _, err := s.Best(x)
			if errors.Is(err, em.ErrUnderivable) {
				err = errImpossible
			}
			if err != nil {
				return nil, err
			}
			return []string{dieNames(path)}, nil
		},
	})
}
