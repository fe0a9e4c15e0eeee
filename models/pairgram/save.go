package pairgram

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/models/ngram"
)

// ErrFormat is wrapped by errors about a file that is not a model.
var ErrFormat = nested.ErrFormat

// saveFormat is the format of the file: a savedModel, then the n-gram model.
const saveFormat saved.Format = "pathsum pairgram model 2"

type savedModel struct {
	Sizes     []savedSize
	Direction int     // 1: reversed
	Symbols   []int32 // of all chunks, sources and targets in turn
	Lengths   []uint8 // of both sides of each chunk
}

// savedSize is a Size in a file.
type savedSize struct{ A, B int }

// Save writes the model in a form from which Load restores every number exactly, so that the
// results of a Predictor are the same.
func (m *Model) Save(w io.Writer) error {
	var s savedModel
	if m.reversed {
		s.Direction = 1
	}
	for _, size := range m.chunks.sizes {
		s.Sizes = append(s.Sizes, savedSize{size.Source, size.Target})
	}
	for _, c := range m.chunks.all {
		s.Symbols = append(append(s.Symbols, c.Source...), c.Target...)
		s.Lengths = append(s.Lengths, uint8(len(c.Source)), uint8(len(c.Target)))
	}
	err := saveFormat.Write(w, s)
	if err == nil {
		err = m.grams.Save(w)
	}
	if err != nil {
		return nested.Errorf("pairgram: save: %w", err)
	}
	return nil
}

// Load reads a model that Save has written. From an io.ByteReader, such as a *bufio.Reader, it
// reads no byte after the model. The error wraps ErrFormat, or comes from r.
func Load(r io.Reader) (*Model, error) {
	r = saved.Series(r)
	var s savedModel
	if err := saveFormat.Read(r, &s); err != nil {
		return nil, nested.Errorf("pairgram: %w: %w", ErrFormat, err)
	}
	chunks, err := s.chunks()
	if err != nil {
		return nil, nested.Errorf("pairgram: %w: %w", ErrFormat, err)
	}
	grams, err := ngram.Load(r)
	if err != nil {
		return nil, nested.Errorf("pairgram: %w: %w", ErrFormat, err)
	}
	if n := grams.Vocabulary(); int(n) != chunks.Len() {
		return nil, nested.Errorf("pairgram: %w: n-grams of %d chunks, want %d", ErrFormat, n, chunks.Len())
	}
	return newModel(chunks, s.Direction == 1, grams), nil
}

// chunks returns the inventory, or an error if it is invalid.
func (s *savedModel) chunks() (*Chunks, error) {
	var sizes []Size
	for _, size := range s.Sizes {
		sizes = append(sizes, Size{size.A, size.B})
	}
	sizes, err := ordered(sizes)
	if err != nil {
		return nil, err
	}
	if s.Direction != 0 && s.Direction != 1 {
		return nil, fmt.Errorf("unknown direction %d", s.Direction)
	}
	if len(s.Lengths) == 0 || len(s.Lengths)%2 != 0 {
		return nil, fmt.Errorf("%d lengths of sides of chunks", len(s.Lengths))
	}
	rest := s.Symbols
	all := make([]Chunk, 0, len(s.Lengths)/2)
	for i := 0; i < len(s.Lengths); i += 2 {
		a, b := int(s.Lengths[i]), int(s.Lengths[i+1])
		if !slices.Contains(sizes, Size{a, b}) || a+b > len(rest) {
			return nil, fmt.Errorf("chunk %d has the sizes %d and %d, of %v", i/2+1, a, b, sizes)
		}
		c := Chunk{rest[:a:a], rest[a : a+b : a+b]}
		if slices.Min(rest[:a+b]) < 1 {
			return nil, fmt.Errorf("chunk %d has the symbols %v and %v, want symbols > 0", i/2+1, c.Source, c.Target)
		}
		all, rest = append(all, c), rest[a+b:]
	}
	given := slices.Clone(all)
	chunks := newChunks(sizes, all)
	for i, c := range given {
		twice := chunks.number.get(chunks.source.addString(c.Source), chunks.target.addString(c.Target)) != int32(i+1)
		if len(rest) > 0 || twice || !slices.Equal(c.Source, chunks.all[i].Source) || !slices.Equal(c.Target, chunks.all[i].Target) {
			return nil, errors.New("chunks are not in order, or occur twice")
		}
	}
	return chunks, nil
}

// conditionalFormat is the format of the file: a savedConditional, then the joint model.
const conditionalFormat saved.Format = "pathsum conditional pairgram model 2"

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

// Save writes the model and the joint model in a form from which LoadConditional restores every
// number exactly.
func (c *Conditional) Save(w io.Writer) error {
	o := c.predictor.options
	s := savedConditional{Decoder: savedOptions{o.Width, o.Margin, o.Insertions}, MinPosterior: c.least, Features: c.index.Keys(), Strengths: c.theta}
	if err := conditionalFormat.Write(w, s); err != nil {
		return nested.Errorf("pairgram: save: %w", err)
	}
	return c.predictor.model.Save(w)
}

// LoadConditional reads a model that Conditional.Save has written. From an io.ByteReader, such as a
// *bufio.Reader, it reads no byte after the model. The error wraps ErrFormat, or comes from r.
func LoadConditional(r io.Reader) (*Conditional, error) {
	r = saved.Series(r)
	var s savedConditional
	if err := conditionalFormat.Read(r, &s); err != nil {
		return nil, nested.Errorf("pairgram: %w: %w", ErrFormat, err)
	}
	if !(s.MinPosterior > 0) || s.MinPosterior >= 1 || len(s.Strengths) != len(s.Features)+1 {
		return nil, nested.Errorf("pairgram: %w: %d strengths for %d features, and the least posterior %g", ErrFormat, len(s.Strengths), len(s.Features), s.MinPosterior)
	}
	m, err := Load(r)
	if err != nil {
		return nil, err
	}
	o := s.Decoder
	d, err := m.Predictor(&PredictorOptions{Width: o.Width, Margin: o.Spread, Insertions: o.Insertions})
	if err != nil {
		return nil, nested.Errorf("%w: %w", ErrFormat, err)
	}
	c := newConditional(d, s.MinPosterior, new(index), s.Strengths)
	for i, h := range s.Features {
		if _, fresh := c.index.Number(h); !fresh {
			return nil, nested.Errorf("pairgram: %w: feature %d occurs twice", ErrFormat, i)
		}
	}
	for i, w := range s.Strengths {
		if w-w != 0 {
			return nil, nested.Errorf("pairgram: %w: strength %d is %g", ErrFormat, i, w)
		}
	}
	return c, nil
}
