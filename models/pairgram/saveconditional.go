package pairgram

import (
	"fmt"
	"io"

	"example.org/pathsum/internal/saved"
)

// conditionalFormat is that of the file, which holds a savedConditional; the model of the
// predictor follows.
const conditionalFormat saved.Format = "pathsum conditional pairgram model 1"

type savedConditional struct {
	Decoder      savedOptions
	MinPosterior float64
	Features     []uint64  // hashes
	Strengths    []float64 // of the features, and of ln p
}

// savedOptions are PredictorOptions in a file.
type savedOptions struct {
	Width      int
	Spread     float64 // Margin
	Insertions int
}

// Save writes the model and the joint model, for LoadConditional. Every number comes
// back to the last bit.
func (c *Conditional) Save(w io.Writer) error {
	o := c.predictor.options
	s := savedConditional{Decoder: savedOptions{o.Width, o.Margin, o.Insertions}, MinPosterior: c.least, Features: c.index.Keys(), Strengths: c.theta}
	if err := conditionalFormat.Write(w, s); err != nil {
		return fmt.Errorf("pairgram: save: %w", err)
	}
	return c.predictor.model.Save(w)
}

// LoadConditional reads a model that Conditional.Save has written. From an io.ByteReader,
// such as a *bufio.Reader, it takes nothing that is behind the model. The error wraps
// ErrFormat, or it is that of reading.
func LoadConditional(r io.Reader) (*Conditional, error) {
	r = saved.Series(r)
	var s savedConditional
	if err := conditionalFormat.Read(r, &s); err != nil {
		return nil, fmt.Errorf("pairgram: %w: %w", ErrFormat, err)
	}
	if !(s.MinPosterior > 0) || s.MinPosterior >= 1 || len(s.Strengths) != len(s.Features)+1 {
		return nil, fmt.Errorf("pairgram: %w: %d strengths for %d features, and the least posterior %g", ErrFormat, len(s.Strengths), len(s.Features), s.MinPosterior)
	}
	m, err := Load(r)
	if err != nil {
		return nil, err
	}
	o := s.Decoder
	d, err := m.Predictor(&PredictorOptions{Width: o.Width, Margin: o.Spread, Insertions: o.Insertions})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	c := newConditional(d, s.MinPosterior, new(index), s.Strengths)
	for i, h := range s.Features {
		if _, fresh := c.index.Number(h); !fresh {
			return nil, fmt.Errorf("pairgram: %w: feature %d occurs twice", ErrFormat, i)
		}
	}
	for i, w := range s.Strengths {
		if w-w != 0 {
			return nil, fmt.Errorf("pairgram: %w: strength %d is %g", ErrFormat, i, w)
		}
	}
	return c, nil
}
