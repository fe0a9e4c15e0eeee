package align

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/saved"
	token "example.org/pathsum/internal/text"
)

// ErrFormat is wrapped by errors about a file that is not a model.
var ErrFormat = nested.ErrFormat

// The formats of the file: a savedModel without Col and Translations, followed by these in parts.
// Neither the writer nor the reader then needs memory for two copies of them.
const (
	saveFormat  saved.Format = "pathsum align model 5"
	pairsFormat saved.Format = "pathsum align pairs 2"
)

// savedPairs is the next pairs of the lexicon, at most partPairs.
type savedPairs struct {
	Col          []int32
	Translations []float64 // two per pair
}

const partPairs = 1 << 15

type savedModel struct {
	Words        [2][]string
	Seen         [2][]int32 // frequencies in the training text
	Row, Col     []int32
	Translations []float64 // two per slot
	Null         [2][]float64
	Kind         Positions
	Jumps        [2]savedJumps
	Places       [2]savedPlaces
	Classes      [2][]int32
	NullRate     float64
	Floor        float64
	Least        float64
	Decode       savedDecoding
	Deleted      float64
}

// savedDecoding defines the translation probabilities of decoding: t·uᵖ, where u is the probability
// in the other direction and p is Partner.
type savedDecoding struct {
	Partner float64 // 0: Own, 1: Joint
	Power   float64 // of the product; 0 means 1. It is only read.
}

// eStep returns the E step with this decoding. It returns false if there is none, as in files of
// models with other powers.
func (s savedDecoding) eStep() (EStep, bool) {
	e := EStep(s.Partner)
	return e, float64(e) == s.Partner && e.legal() && (s.Power == 0 || s.Power == 1)
}

type savedJumps struct {
	Reach, Hidden, Seen int
	Uniform             float64 // the share of a uniform distribution. It is only read, and must be 0.
	P                   []float64
}

// savedPlaces is empty for a model without shapes.
type savedPlaces struct {
	Shapes  [][2]int // hidden, seen
	P       []float64
	Tension float64
}

// saved returns the content of the file, which shares m's storage.
func (m *Model) saved() *savedModel {
	s := &savedModel{Row: m.lexicon.row, Col: m.lexicon.col, Translations: m.table.translations.In(m.theta), Kind: m.kind,
		NullRate: float64(m.null), Floor: m.floor, Least: m.least, Decode: savedDecoding{Partner: float64(m.decode)}, Deleted: m.deleted}
	for d, of := range m.sides {
		s.Words[d], s.Seen[d], s.Classes[d] = of.words.words, of.seen, of.classes
		s.Null[d] = m.table.null[d].In(m.theta)
		s.Jumps[d] = savedJumps{Reach: of.jumps.reach, Hidden: of.jumps.hidden, Seen: of.jumps.seen, P: m.table.positionsOf(d, HMM, m.theta)}
		if of.shapes == nil {
			continue
		}
		w := savedPlaces{P: m.table.positionsOf(d, Model2, m.theta), Tension: m.table.positionsOf(d, Diagonal, m.theta)[0]}
		for _, x := range of.shapes.list {
			w.Shapes = append(w.Shapes, [2]int{x.hidden, x.seen})
		}
		s.Places[d] = w
	}
	return s
}

// Save writes the model in a form from which Load restores every number exactly, so that the
// results are the same.
func (m *Model) Save(w io.Writer) error {
	s := m.saved()
	col, t := s.Col, s.Translations
	s.Col, s.Translations = nil, nil
	err := saveFormat.Write(w, s)
	for err == nil && len(col) > 0 {
		n := min(len(col), partPairs)
		err = pairsFormat.Write(w, savedPairs{col[:n], t[:2*n]})
		col, t = col[n:], t[2*n:]
	}
	if err != nil {
		return nested.Errorf("align: save: %w", err)
	}
	return nil
}

// Load reads a model that Save has written. The error wraps ErrFormat or comes from r.
func Load(r io.Reader) (*Model, error) {
	var s savedModel
	err := s.read(saved.Series(r))
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, nested.Errorf("align: %w: %w", ErrFormat, err)
	}
	return s.model(), nil
}

// read reads all parts of the file.
func (s *savedModel) read(r io.Reader) error {
	if err := saveFormat.Read(r, s); err != nil {
		return err
	}
	for len(s.Row) > 0 && len(s.Col) < int(s.Row[len(s.Row)-1]) {
		var part savedPairs
		if err := pairsFormat.Read(r, &part); err != nil {
			return err
		}
		if len(part.Col) == 0 || len(part.Translations) != 2*len(part.Col) {
			return fmt.Errorf("%d pairs with %d probabilities, want some and two of each", len(part.Col), len(part.Translations))
		}
		s.Col, s.Translations = append(s.Col, part.Col...), append(s.Translations, part.Translations...)
	}
	return nil
}

func (s *savedModel) model() *Model {
	decode, _ := s.Decode.eStep() // s was checked
	m := &Model{lexicon: &lexicon{row: s.Row, col: s.Col}, kind: s.Kind,
		null: nullRate(s.NullRate), floor: s.Floor, least: s.Least, decode: decode, deleted: s.Deleted}
	for d := range m.sides {
		j, to := s.Jumps[d], &m.sides[d]
		*to = side{words: newVocabulary(), seen: s.Seen[d], classes: s.Classes[d], jumps: jumps{reach: j.Reach, hidden: j.Hidden, seen: j.Seen}}
		for _, w := range s.Words[d] {
			to.words.add(w)
		}
		to.tokens, _ = checkSeen(s.Seen[d], len(s.Words[d])) // s was checked
		if to.classes != nil {
			to.rare = rareClass(to.classes, to.seen, j.Hidden)
		}
		if list := s.Places[d].Shapes; len(list) > 0 {
			to.shapes = newShapes()
			for _, x := range list {
				to.shapes.add(shape{x[0], x[1]})
			}
		}
	}
	m.table = m.newTable(m.laws(&prior{law: em.Multinomial{}}))
	m.theta = make([]float64, m.table.params.Len())
	copy(m.table.translations.In(m.theta), s.Translations)
	for d := range m.sides {
		copy(m.table.null[d].In(m.theta), s.Null[d])
		copy(m.table.positionsOf(d, HMM, m.theta), s.Jumps[d].P)
		copy(m.table.positionsOf(d, Model2, m.theta), s.Places[d].P)
		copy(m.table.positionsOf(d, Diagonal, m.theta), []float64{s.Places[d].Tension})
	}
	return m
}

// check returns an error if s is not a valid model.
func (s *savedModel) check() error {
	numE, numF := len(s.Words[0]), len(s.Words[1])
	_, decodes := s.Decode.eStep()
	switch {
	case s.Kind < Model1 || s.Kind > HMM:
		return fmt.Errorf("unknown model of positions %d", s.Kind)
	case len(s.Row) != numE+1 || s.Row[0] != 0 || int(s.Row[numE]) != len(s.Col) || len(s.Translations) != 2*len(s.Col):
		return errors.New("the lexicon differs from its declared size")
	case len(s.Null[ef]) != numF || len(s.Null[fe]) != numE:
		return errors.New("not every word has a probability given NULL")
	case !decodes:
		return fmt.Errorf("decoding with the other direction's probabilities to the power of %v and all probabilities to the power of %v, want %v and %v", s.Decode.Partner, s.Decode.Power, Own, Joint)
	case !(s.Deleted >= 0 && s.Deleted < 1) || !probable(s.Translations) || !probable(s.Null[ef]) || !probable(s.Null[fe]) ||
		!probable([]float64{s.NullRate, s.Floor, s.Least}):
		return errors.New("a probability is not in [0, 1]")
	}
	if !slices.IsSorted(s.Row) {
		return errors.New("a row of the lexicon ends before it begins")
	}
	last := make([]int32, numF) // per word of F: the last row that contains it, from 1
	for e := range int32(numE) {
		for _, f := range s.Col[s.Row[e]:s.Row[e+1]] {
			if f < 0 || int(f) >= numF || last[f] == e+1 {
				return fmt.Errorf("row %d of the lexicon has word %d, perhaps twice", e, f)
			}
			last[f] = e + 1
		}
	}
	for d, words := range s.Words {
		seen := map[string]bool{}
		for _, w := range words {
			if seen[w] {
				return fmt.Errorf("the word %s comes twice", token.Quote(w))
			}
			seen[w] = true
		}
		if _, err := checkSeen(s.Seen[d], len(words)); err != nil {
			return err
		}
		if err := s.checkPositions(d); err != nil {
			return err
		}
	}
	return nil
}

// checkPositions returns an error if the positions of direction d are invalid.
func (s *savedModel) checkPositions(d int) error {
	j, w := s.Jumps[d], s.Places[d]
	if j.Reach < 1 || j.Reach > maxReach || min(j.Hidden, j.Seen) < 1 || j.Hidden > len(j.P)/j.Seen || j.Seen != s.Jumps[1-d].Hidden ||
		len(j.P) != (2+j.Hidden*j.Seen)*(2*j.Reach+1) || !probable(j.P) || j.Uniform != 0 {
		return errors.New("bad jumps")
	}
	if n := len(s.Classes[d]); n != 0 && n != len(s.Words[d]) || n == 0 && j.Hidden > 1 {
		return fmt.Errorf("%d words have a class", n)
	}
	for word, class := range s.Classes[d] {
		if class < 0 || int(class) >= j.Hidden {
			return fmt.Errorf("word %d is in class %d of %d", word, class, j.Hidden)
		}
	}
	n, seen := 0, map[[2]int]bool{}
	for _, shape := range w.Shapes {
		if min(shape[0], shape[1]) < 1 || max(shape[0], shape[1]) > MaxWords || seen[shape] {
			return fmt.Errorf("sentences of %d and %d words, perhaps twice", shape[0], shape[1])
		}
		seen[shape] = true
		n += shape[0] * shape[1]
	}
	if n == 0 && (s.Kind == Model2 || s.Kind == Diagonal) {
		return errors.New("no sentences have positions")
	}
	if n != len(w.P) || !probable(w.P) || !(w.Tension >= leastTension && w.Tension <= greatestTension) {
		return errors.New("bad probabilities of positions")
	}
	return nil
}
