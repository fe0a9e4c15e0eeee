package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
)

// savedFormat names the form of a saved cascade.
const savedFormat = "pathsum transliterate 1"

// saved is a trained cascade as a JSON object. The table of romaji is that of the program.
type saved struct {
	Format       string          `json:"format"`
	Letters      []string        `json:"letters"` // of the labels 1, 2, …
	Channel      json.RawMessage `json:"channel"`
	Search, Rank []byte          // as package ngram saves them
}

// save writes the cascade, for loadCascade.
func (c *cascade) save(w io.Writer) error {
	s := saved{Format: savedFormat}
	for _, l := range labels(c.letters) {
		name, _ := c.letters.Name(l)
		s.Letters = append(s.Letters, name)
	}
	var parts [3]bytes.Buffer
	if err := errors.Join(c.channel.Save(&parts[0]), c.search.Save(&parts[1]), c.rank.Save(&parts[2])); err != nil {
		return err
	}
	s.Channel, s.Search, s.Rank = parts[0].Bytes(), parts[1].Bytes(), parts[2].Bytes()
	return json.NewEncoder(w).Encode(s)
}

// loadCascade reads a cascade, which transliterates as the one that was saved.
func loadCascade(r io.Reader, t *table) (*cascade, error) {
	var s saved
	if err := json.NewDecoder(bufio.NewReader(r)).Decode(&s); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	if s.Format != savedFormat {
		return nil, fmt.Errorf("format %q, want %q", s.Format, savedFormat)
	}
	c := &cascade{letters: fst.NewSymbols(), table: t}
	add(c.letters, s.Letters)
	var err error
	if c.channel, err = channel.Load(bytes.NewReader(s.Channel)); err != nil {
		return nil, err
	}
	if c.search, err = ngram.Load(bytes.NewReader(s.Search)); err != nil {
		return nil, err
	}
	if c.rank, err = ngram.Load(bytes.NewReader(s.Rank)); err != nil {
		return nil, err
	}
	return c, c.addBackward()
}
