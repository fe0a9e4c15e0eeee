package main

import (
	"fmt"
	"io"

	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// fileFormat is that of a trained system: a head, and behind it the models as their packages save
// them, of each direction trigrams and those of symbols, and then the tree.
const fileFormat saved.Format = "pathsum unpaired 3"

// head is what the file of a system begins with.
type head struct {
	Name             string
	Columns          [len(directions)]transliteration.SavedColumn
	Exponent, Length float64
}

// save writes the system, for loadSystem.
func (s *system) save(w io.Writer) error {
	h := head{Name: s.name, Exponent: s.rank.exponent, Length: s.rank.length}
	for d, c := range s.columns {
		h.Columns[d] = c.Saved()
	}
	if err := fileFormat.Write(w, h); err != nil {
		return err
	}
	for d := range directions {
		if err := s.trigrams[d].Save(w); err != nil {
			return err
		}
		if err := s.rank.symbols[d].Save(w); err != nil {
			return err
		}
	}
	return s.tree.Save(w)
}

// loadSystem reads a system, which answers as the one that was saved.
func loadSystem(r io.Reader) (*system, error) {
	r = saved.Series(r)
	var h head
	if err := fileFormat.Read(r, &h); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	s := &system{name: h.Name, rank: ranking{exponent: h.Exponent, length: h.Length}}
	var err error
	for d := range directions {
		s.columns[d] = h.Columns[d].Column()
		if s.trigrams[d], err = pairgram.Load(r); err != nil {
			return nil, err
		}
		if s.rank.symbols[d], err = ngram.Load(r); err != nil {
			return nil, err
		}
	}
	if s.tree, err = channel.Load(r); err != nil {
		return nil, err
	}
	return s, s.predict()
}
