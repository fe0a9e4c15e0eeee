package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/examples/internal/transliteration"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// fileFormat is that of a trained system.
const fileFormat saved.Format = "pathsum unpaired 1"

// savedSystem is a system in a file. Models are as their packages save them.
type savedSystem struct {
	Name              string
	Columns           [len(directions)]transliteration.SavedColumn
	Tree              []byte
	Trigrams, Symbols [len(directions)][]byte
	Exponent, Length  float64
}

// save writes the system, for loadSystem.
func (s *system) save(w io.Writer) error {
	v := savedSystem{Name: s.name, Exponent: s.rank.exponent, Length: s.rank.length}
	var failed error
	text := func(save func(io.Writer) error) []byte {
		var b bytes.Buffer
		failed = errors.Join(failed, save(&b))
		return b.Bytes()
	}
	v.Tree = text(s.tree.Save)
	for d := range directions {
		v.Columns[d] = s.columns[d].Saved()
		v.Trigrams[d], v.Symbols[d] = text(s.trigrams[d].Save), text(s.rank.symbols[d].Save)
	}
	if failed != nil {
		return failed
	}
	return fileFormat.Write(w, v)
}

// loadSystem reads a system, which answers as the one that was saved.
func loadSystem(r io.Reader) (*system, error) {
	var v savedSystem
	if err := fileFormat.Read(r, &v); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	s := &system{name: v.Name, rank: ranking{exponent: v.Exponent, length: v.Length}}
	var err error
	if s.tree, err = channel.Load(bytes.NewReader(v.Tree)); err != nil {
		return nil, err
	}
	for d := range directions {
		s.columns[d] = v.Columns[d].Column()
		if s.trigrams[d], err = pairgram.Load(bytes.NewReader(v.Trigrams[d])); err != nil {
			return nil, err
		}
		if s.rank.symbols[d], err = ngram.Load(bytes.NewReader(v.Symbols[d])); err != nil {
			return nil, err
		}
	}
	return s, s.predict()
}
