package align

import (
	"errors"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/internal/saved"
)

// ErrFormat is wrapped by errors about a file that holds no model.
var ErrFormat = errors.New("bad model file")

// saveFormat is the format of the file, which holds a savedModel.
const saveFormat saved.Format = "pathsum align model 1"

type savedModel struct {
	Words    [2][]string
	Row, Col []int32
	T        []float64 // two per slot
	Null     [2][]float64
	Kind     Positions
	Jumps    [2]savedJumps
	Where    [2]savedWhere
	Classes  [2][]int32
	NullRate float64
	Floor    float64
	Decode   EStep
}

type savedJumps struct {
	Reach, Classes int
	Uniform        float64
	P              []float64
}

type savedWhere struct {
	Shapes   [][2]int // in the order of P
	P        []float64
	Diagonal bool
	Tension  float64
}

// saved returns the content of the file, which shares m's storage.
func (m *Model) saved() *savedModel {
	s := &savedModel{Row: m.lexicon.row, Col: m.lexicon.col, Null: m.lexicon.null, Kind: m.kind,
		Classes: m.classes, NullRate: float64(m.null), Floor: m.floor, Decode: m.decode}
	s.T = make([]float64, 0, 2*len(m.lexicon.t))
	for _, t := range m.lexicon.t {
		s.T = append(s.T, t[:]...)
	}
	for d := range s.Words {
		s.Words[d] = m.words[d].words
		j := m.jumps[d]
		s.Jumps[d] = savedJumps{j.reach, j.classes, j.uniform, j.p}
		if where := m.where[d]; where != nil {
			s.Where[d] = savedWhere{where.shapes(), where.p, where.diagonal, where.tension}
		}
	}
	return s
}

// Save writes the model, for Load. Every number comes back to the last bit, and so
// do the model's results.
func (m *Model) Save(w io.Writer) error {
	if err := saveFormat.Write(w, m.saved()); err != nil {
		return fmt.Errorf("align: save: %w", err)
	}
	return nil
}

// Load reads a model that Save has written. The error wraps ErrFormat, or
// comes from reading.
func Load(r io.Reader) (*Model, error) {
	var s savedModel
	if err := saveFormat.Read(r, &s); err != nil {
		return nil, fmt.Errorf("align: %w: %w", ErrFormat, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("align: %w: %w", ErrFormat, err)
	}
	return s.model(), nil
}

func (s *savedModel) model() *Model {
	l := &lexicon{row: s.Row, col: s.Col, t: make([]pair, len(s.Col)), null: s.Null}
	for slot := range l.t {
		l.t[slot] = pair(s.T[2*slot : 2*slot+2])
	}
	m := &Model{lexicon: l, kind: s.Kind, classes: s.Classes, null: nullRate(s.NullRate), floor: s.Floor, decode: s.Decode}
	for d := range s.Words {
		m.words[d] = newVocabulary()
		for _, w := range s.Words[d] {
			m.words[d].add(w)
		}
		j := s.Jumps[d]
		m.jumps[d] = &jumps{j.Reach, j.Classes, j.Uniform, j.P}
		w := s.Where[d]
		m.where[d] = &where{first: map[[2]int]int{}, p: w.P, diagonal: w.Diagonal, tension: w.Tension}
		first := 0
		for _, shape := range w.Shapes {
			m.where[d].first[shape] = first
			first += shape[0] * shape[1]
		}
	}
	return m
}

// check returns what makes s no model.
func (s *savedModel) check() error {
	numE, numF := len(s.Words[0]), len(s.Words[1])
	switch {
	case s.Kind < Model1 || s.Kind > HMM:
		return fmt.Errorf("unknown model of positions %d", s.Kind)
	case len(s.Row) != numE+1 || s.Row[0] != 0 || int(s.Row[numE]) != len(s.Col) || len(s.T) != 2*len(s.Col):
		return errors.New("the lexicon has another size than it says")
	case len(s.Null[ef]) != numF || len(s.Null[fe]) != numE:
		return errors.New("not every word has a probability given NULL")
	case !s.Decode.legal() || !probable(s.T) || !probable(s.Null[ef]) || !probable(s.Null[fe]) ||
		!probable([]float64{s.NullRate, s.Floor}):
		return errors.New("a probability is not in [0, 1]")
	}
	for e := range numE {
		if s.Row[e] > s.Row[e+1] {
			return fmt.Errorf("row %d of the lexicon ends before it begins", e)
		}
		for slot := s.Row[e]; slot < s.Row[e+1]; slot++ {
			if f := s.Col[slot]; f < 0 || int(f) >= numF || slot > s.Row[e] && f <= s.Col[slot-1] {
				return fmt.Errorf("row %d of the lexicon is not in order", e)
			}
		}
	}
	for d, words := range s.Words {
		seen := map[string]bool{}
		for _, w := range words {
			if seen[w] {
				return fmt.Errorf("the word %q comes twice", w)
			}
			seen[w] = true
		}
		if err := s.checkPositions(d); err != nil {
			return err
		}
	}
	return nil
}

// checkPositions returns what is wrong with the positions of direction d.
func (s *savedModel) checkPositions(d int) error {
	j, w := s.Jumps[d], s.Where[d]
	if j.Reach < 1 || j.Reach > maxReach || j.Classes < 1 || j.Classes > len(j.P) || len(j.P) != (2+j.Classes)*(2*j.Reach+1) ||
		!probable(j.P) || !probable([]float64{j.Uniform}) {
		return errors.New("bad jumps")
	}
	if n := len(s.Classes[d]); n != 0 && n != len(s.Words[d]) || n == 0 && j.Classes > 1 {
		return fmt.Errorf("%d words have a class", n)
	}
	for word, class := range s.Classes[d] {
		if class < 0 || int(class) >= j.Classes {
			return fmt.Errorf("word %d is in class %d of %d", word, class, j.Classes)
		}
	}
	n := 0
	for _, shape := range w.Shapes {
		if shape[0] < 1 || shape[1] < 1 || shape[0] > MaxWords || shape[1] > MaxWords {
			return fmt.Errorf("sentences of %d and %d words", shape[0], shape[1])
		}
		n += shape[0] * shape[1]
	}
	if n != len(w.P) || !probable(w.P) || !(w.Tension >= leastTension && w.Tension <= greatestTension) {
		return errors.New("bad probabilities of positions")
	}
	return nil
}

// probable reports whether all of p can be probabilities, rounding allowed for.
func probable(p []float64) bool {
	for _, x := range p {
		if !(x >= 0 && x <= 1+1e-6) || math.IsNaN(x) {
			return false
		}
	}
	return true
}
