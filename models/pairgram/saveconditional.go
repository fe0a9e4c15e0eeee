package pairgram

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
)

// conditionalFormat is the first line of a saved Conditional; a savedConditional in the
// encoding of package gob and the model of its decoder follow.
const conditionalFormat = "pathsum conditional pairgram model 1\n"

type savedConditional struct {
	Decoder      DecoderOptions
	MinPosterior float64
	Features     []uint64  // hashes
	Strengths    []float64 // of the features, and of ln p
}

// Save writes the model and that of its decoder, for LoadConditional. Every number comes
// back to the last bit.
func (c *Conditional) Save(w io.Writer) error {
	s := savedConditional{Decoder: c.decoder.options, MinPosterior: c.least, Strengths: c.theta}
	for _, p := range c.index.all {
		s.Features = append(s.Features, p.hash())
	}
	b := bufio.NewWriter(w)
	_, err := b.WriteString(conditionalFormat)
	if err == nil {
		err = gob.NewEncoder(b).Encode(s)
	}
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("pairgram: save: %w", err)
	}
	return c.decoder.model.Save(w)
}

// LoadConditional reads a model that Conditional.Save has written. From an io.ByteReader,
// such as a *bufio.Reader, it takes nothing that is behind the model. The error wraps
// ErrFormat, or it is that of reading.
func LoadConditional(r io.Reader) (*Conditional, error) {
	if _, ok := r.(io.ByteReader); !ok {
		r = bufio.NewReader(r)
	}
	head := make([]byte, len(conditionalFormat))
	if _, err := io.ReadFull(r, head); err != nil || string(head) != conditionalFormat {
		return nil, fmt.Errorf("pairgram: %w: it does not begin with %q", ErrFormat, conditionalFormat)
	}
	var s savedConditional
	if err := gob.NewDecoder(r).Decode(&s); err != nil {
		return nil, fmt.Errorf("pairgram: %w: %w", ErrFormat, err)
	}
	if !(s.MinPosterior > 0) || s.MinPosterior >= 1 || len(s.Strengths) != len(s.Features)+1 {
		return nil, fmt.Errorf("pairgram: %w: %d strengths for %d features, and the least posterior %g", ErrFormat, len(s.Strengths), len(s.Features), s.MinPosterior)
	}
	m, err := Load(r)
	if err != nil {
		return nil, err
	}
	d, err := m.NewDecoder(&s.Decoder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	c := newConditional(d, s.MinPosterior, new(index), s.Strengths)
	for i, h := range s.Features {
		if c.index.add(h) != int32(i) {
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
