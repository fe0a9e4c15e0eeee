package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/pairset"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
)

// model finds the targets of words; goroutines may share it.
type model struct {
	script.Columns
	symbols   symbols
	set       *pairset.Set
	predictor nbest.Predictor
	trainer   *trainer // nil for a loaded model
}

func newModel(c script.Columns, s symbols, set *pairset.Set, t *trainer) (*model, error) {
	p, err := set.Predictor(nil)
	return &model{c, s, set, p, t}, err
}

// candidate is a target of a word.
type candidate struct {
	target []string
	// share is the target's fraction of the total probability of the candidates found for the
	// word, reduced by the cost of unknown symbols.
	share float64
}

// transcribe returns the n best targets of a word, and the symbols that the models do not have.
// These are read as the closest known symbols, or left out. If every symbol is known to some
// model, but no model knows all, this applies to the symbols that the first model does not
// have.
func (m *model) transcribe(ctx context.Context, word []string, n int) (all []candidate, unknown script.Unknown, err error) {
	for _, models := range [][]*pairgram.Model{m.set.Joint, m.set.Joint[:1]} {
		knows := func(symbol string) bool {
			label, ok := m.symbols.word.Find(symbol)
			return ok && slices.ContainsFunc(models, func(m *pairgram.Model) bool { return m.Knows(label) })
		}
		var read []string
		read, unknown = script.Read(word, knows)
		x, err := m.symbols.word.Encode(read...)
		if err != nil || len(x) == 0 {
			return nil, unknown, err
		}
		best, err := m.predictor.Best(ctx, x, max(n, pairset.Scored))
		if err == nil && len(best) > 0 {
			all, err = m.candidates(best, n, unknown)
		}
		if !errors.Is(err, nbest.ErrUnknown) {
			return all, unknown, err
		}
	}
	return nil, unknown, nil
}

// candidates returns the n best candidates found for a word with unknown symbols.
func (m *model) candidates(best []nbest.Candidate, n int, unknown script.Unknown) ([]candidate, error) {
	all, total := make([]candidate, min(n, len(best))), 0.0
	for i, c := range best {
		share := math.Exp(c.LogProb - best[0].LogProb)
		total += share
		if i >= n {
			continue
		}
		all[i].share = share
		var err error
		if all[i].target, err = m.symbols.target.Decode(c.Labels); err != nil {
			return nil, err
		}
	}
	for i := range all {
		all[i].share *= math.Exp(unknown.LogPenalty(m.symbols.target.Len()-1)) / total
	}
	return all, nil
}

// fileFormat is the format of a file of models, which holds a head; the models follow.
const fileFormat saved.Format = "pathsum g2p 3"

// head is the beginning of a file of models.
type head struct {
	Columns          script.Columns
	WordNames, Names []string // of the symbols
	Models           int
	Classes          []float64 // probabilities; nil without classes
	Conditional      bool      // instead of joint models
}

// save writes the models in the format that load reads.
func (m *model) save(w io.Writer) error {
	h := head{m.Columns, m.symbols.word.Names(), m.symbols.target.Names(), len(m.set.Joint), m.set.Classes, len(m.set.Conditionals) > 0}
	return fileFormat.WriteSeries(w, h, m.set.Savers()...)
}

// load reads models written by save, or a pair model in the ARPA format.
func load(r io.Reader) (*model, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if start, err := b.Peek(1 << 12); bytes.Contains(start, []byte("\\data\\")) && (err == nil || err == io.EOF) {
		return readARPA(b)
	}
	var h head
	if err := fileFormat.Read(b, &h); err != nil {
		return nil, fmt.Errorf("no models: %w", err)
	}
	set, err := pairset.Load(b, h.Models, h.Conditional, h.Classes)
	if err != nil {
		return nil, fmt.Errorf("no models: %w", err)
	}
	return newModel(h.Columns, symbols{fst.NewSymbols(h.WordNames...), fst.NewSymbols(h.Names...)}, set, nil)
}

// readARPA reads a pair model in the ARPA format. Its symbols determine how words are cut;
// targets are cut at spaces.
func readARPA(r io.Reader) (*model, error) {
	s := symbols{fst.NewSymbols(), fst.NewSymbols()}
	m, err := pairgram.ReadARPA(r, "ARPA", s.word, s.target)
	if err != nil {
		return nil, fmt.Errorf("no models: %w", err)
	}
	c := script.Columns{Word: script.ColumnOf(s.word.Names()), Target: script.Column{Spaced: true}}
	return newModel(c, s, &pairset.Set{Joint: []*pairgram.Model{m}}, nil)
}

// writeARPA writes the n-grams of chunks.
func (m *model) writeARPA(w io.Writer) error {
	x, err := m.set.Single()
	if err != nil {
		return err
	}
	return x.WriteARPA(w, m.symbols.word, m.symbols.target)
}

// machine makes a transducer from a model.
type machine func(m *pairgram.Model, ring semiring.Semiring[semiring.Cost], weight func(semiring.ScaledFloat) semiring.Cost, source, target *fst.Symbols) (*fst.FST[semiring.Cost], error)

// write writes the transducer in OpenFst's binary format.
func (of machine) write(m *model, w io.Writer) error {
	x, err := m.set.Single()
	if err != nil {
		return err
	}
	f, err := of(x, semiring.Tropical{}, nil, m.symbols.word, m.symbols.target)
	if err != nil {
		return err
	}
	return fstio.WriteBinary(w, f, nil)
}

// drawMatrix draws the alignment of a training pair.
func drawMatrix(m *model, _ *corpus) (program.Drawing, error) {
	return pairset.Alignment(m.trainer.Aligners[0], m.trainer.pairs, m.symbols.word, m.symbols.target)
}
