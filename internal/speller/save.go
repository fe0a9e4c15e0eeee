package speller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// savedFormat is the format of a saved speller.
const savedFormat = "pathsum spelling 1"

// saved is a speller as a JSON object: channels, n-grams in the formats of their packages, and
// the lexicon, so that it is sufficient for correcting words.
type saved struct {
	Format                     string
	Scout, Edits, Slips, Mixed json.RawMessage
	Pairs, Spelling            []byte
	Sounds                     *savedSounds `json:",omitempty"`
	Weights                    []float64
	Words                      []string
	Counts                     []float64
}

// savedSounds has the sounds of a saved speller: a dictionary, whose pronunciations have spaces
// between sounds, and n-grams.
type savedSounds struct {
	Words, Pronunciations []string
	Spoken, Heard, Phones []byte
}

// Save writes the models and the lexicon in the format that Load reads.
func (s *Speller) Save(w io.Writer) error {
	var parts [6]bytes.Buffer
	err := errors.Join(s.Scout.Save(&parts[0]), s.Edits.Save(&parts[1]), s.Slips.Save(&parts[2]), s.Mixed.Save(&parts[3]),
		s.Pairs.Save(&parts[4]), s.Spelling.Save(&parts[5]))
	if err != nil {
		return err
	}
	x := saved{
		Format: savedFormat, Weights: s.Weights,
		Scout: parts[0].Bytes(), Edits: parts[1].Bytes(), Slips: parts[2].Bytes(), Mixed: parts[3].Bytes(),
		Pairs: parts[4].Bytes(), Spelling: parts[5].Bytes(),
	}
	if s.Sounds != nil {
		if x.Sounds, err = s.Sounds.save(); err != nil {
			return err
		}
	}
	for _, w := range s.Lexicon {
		x.Words, x.Counts = append(x.Words, w.Text), append(x.Counts, w.Count)
	}
	return json.NewEncoder(w).Encode(x)
}

// Load reads a speller written by Save. After Prepare it corrects like the saved one. The error
// wraps em.ErrFormat, or describes another reason why the file is not a saved speller.
func Load(r io.Reader) (*Speller, error) {
	var x saved
	if err := json.NewDecoder(r).Decode(&x); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	switch {
	case x.Format != savedFormat:
		return nil, fmt.Errorf("format %s, want %q", text.Quote(x.Format), savedFormat)
	case len(x.Words) != len(x.Counts) || len(x.Words) == 0:
		return nil, fmt.Errorf("%d words and %d counts of words", len(x.Words), len(x.Counts))
	}
	if want := len(initial(x.Sounds != nil)); len(x.Weights) != want {
		return nil, fmt.Errorf("%d exponents, want %d", len(x.Weights), want)
	}
	s := &Speller{Weights: x.Weights}
	for _, part := range []struct {
		text json.RawMessage
		to   **edit.Model
	}{{x.Scout, &s.Scout}, {x.Edits, &s.Edits}, {x.Slips, &s.Slips}, {x.Mixed, &s.Mixed}} {
		var err error
		if *part.to, err = edit.Load(bytes.NewReader(part.text)); err != nil {
			return nil, err
		}
	}
	if s.Letters() == nil {
		return nil, fmt.Errorf("%w: no characters", em.ErrFormat)
	}
	if n := len(s.Mixed.Theta); n != 2 {
		return nil, fmt.Errorf("%w: mixture of %d channels, want 2", em.ErrFormat, n)
	}
	var err error
	if s.Pairs, err = pairgram.Load(bytes.NewReader(x.Pairs)); err != nil {
		return nil, err
	}
	if s.Spelling, err = ngram.Load(bytes.NewReader(x.Spelling)); err != nil {
		return nil, err
	}
	if x.Sounds != nil {
		if s.Sounds, err = x.Sounds.load(s.Letters()); err != nil {
			return nil, err
		}
	}
	for i, w := range x.Words {
		s.Lexicon = append(s.Lexicon, Word{w, x.Counts[i]})
	}
	return s, nil
}

// save returns s in the format that load reads.
func (s *Sounds) save() (*savedSounds, error) {
	var parts [3]bytes.Buffer
	err := errors.Join(s.Spoken.Save(&parts[0]), s.Heard.Save(&parts[1]), s.Phones.Save(&parts[2]))
	saved := &savedSounds{Spoken: parts[0].Bytes(), Heard: parts[1].Bytes(), Phones: parts[2].Bytes()}
	for _, d := range s.dictionary {
		saved.Words, saved.Pronunciations = append(saved.Words, d.Word), append(saved.Pronunciations, strings.Join(d.Sounds, " "))
	}
	return saved, err
}

// load returns the saved sounds. The dictionary is in its original order, so that sounds have
// the same labels.
func (saved *savedSounds) load(letters *fst.Symbols) (*Sounds, error) {
	if len(saved.Words) != len(saved.Pronunciations) {
		return nil, fmt.Errorf("%d words and %d pronunciations", len(saved.Words), len(saved.Pronunciations))
	}
	var dictionary []Pronunciation
	for i, w := range saved.Words {
		dictionary = append(dictionary, Pronunciation{w, tsv.Symbols(saved.Pronunciations[i])})
	}
	s := NewSounds(dictionary, letters)
	var err error
	if s.Spoken, err = pairgram.Load(bytes.NewReader(saved.Spoken)); err != nil {
		return nil, err
	}
	if s.Heard, err = pairgram.Load(bytes.NewReader(saved.Heard)); err != nil {
		return nil, err
	}
	if s.Phones, err = ngram.Load(bytes.NewReader(saved.Phones)); err != nil {
		return nil, err
	}
	return s, s.Prepare()
}
