package align

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/spoiled"
)

// Whatever the bytes are, there is an error or a model that works.
func FuzzLoad(f *testing.F) {
	for seed := range uint64(4) {
		r := random(seed)
		var b bytes.Buffer
		if err := randomModel(r, Positions(seed)).Save(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
		for range 200 {
			text := bytes.Clone(b.Bytes())
			text[len(saveFormat)+r.IntN(len(text)-len(saveFormat))] ^= byte(1 << r.IntN(8))
			f.Add(text)
		}
	}
	f.Add([]byte(saveFormat + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m *Model
		var err error
		memtest.Bound(t, len(text)+saved.Ahead/2000, 2000, func() { m, err = Load(bytes.NewReader(text)) })
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Errorf("error %v, want ErrFormat", err)
			}
			return
		}
		s := Sentence{[]string{"a", "b", "other"}, []string{"c", "a", "a", "d"}}
		if _, _, err := m.Posteriors(s); err != nil && !errors.Is(err, em.ErrUnderivable) {
			t.Errorf("a model that was read: %v", err)
		}
	})
}

func TestLoadRefuses(t *testing.T) {
	if _, err := Load(strings.NewReader("pathsum align model 1\n")); !errors.Is(err, ErrFormat) {
		t.Errorf("another format: %v", err)
	}
	sizes := map[string]func(s *savedModel){
		"kind":    func(s *savedModel) { s.Kind = 7 },
		"row":     func(s *savedModel) { s.Row[1] = 99 },
		"column":  func(s *savedModel) { s.Col[0] = -1 },
		"numbers": func(s *savedModel) { s.Translations = s.Translations[1:] },
		"null":    func(s *savedModel) { s.Null[ef] = nil },
		"decode":  func(s *savedModel) { s.Decode.Partner = -1 },
		"prob":    func(s *savedModel) { s.Translations[0] = 2 },
		"jumps":   func(s *savedModel) { s.Jumps[0].Reach = math.MaxInt },
		"other":   func(s *savedModel) { s.Jumps[0].Seen++ },
		"pairs":   func(s *savedModel) { s.Jumps[0].Seen, s.Jumps[1].Hidden = math.MaxInt, math.MaxInt },
		"classes": func(s *savedModel) { s.Classes[1] = []int32{1} },
		"shapes":  func(s *savedModel) { s.Places[0].Shapes = [][2]int{{math.MaxInt, math.MaxInt}} },
		"kinds":   func(s *savedModel) { s.Kind = Model2; s.Places[1] = savedPlaces{} },
		"words":   func(s *savedModel) { s.Words[0][1] = s.Words[0][0] },
		"seen":    func(s *savedModel) { s.Seen[1] = s.Seen[1][1:] },
		"never":   func(s *savedModel) { s.Seen[0][0] = -1 },
		"tension": func(s *savedModel) { s.Places[1].Tension = -1 },
	}
	for name, spoil := range sizes {
		s := randomModel(random(3), HMM).saved()
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		spoil(s)
		if s.check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestSaveParts: a lexicon of more pairs than a part of the file holds comes back whole, and a
// file that ends between two parts is an error.
func TestSaveParts(t *testing.T) {
	c, s := NewCorpus(), Sentence{}
	for i := range 200 {
		s.Source, s.Target = append(s.Source, fmt.Sprint("e", i)), append(s.Target, fmt.Sprint("f", i))
	}
	if err := c.Add(s); err != nil {
		t.Fatal(err)
	}
	m, err := New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	text := file.Bytes()
	loaded, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m.saved(), loaded.saved()); len(m.lexicon.col) <= partPairs || d != "" {
		t.Errorf("%d pairs: %s", len(m.lexicon.col), d)
	}
	last := bytes.LastIndex(text, []byte(pairsFormat))
	if _, err := Load(bytes.NewReader(text[:last])); !errors.Is(err, ErrFormat) {
		t.Errorf("a part is missing: %v", err)
	}
}

// TestLoadSpoiled: a model file with a change in one place is refused, or the model answers with
// probabilities and can be saved.
func TestLoadSpoiled(t *testing.T) {
	sentences := []Sentence{{strings.Fields("a b c"), strings.Fields("a c")}, {strings.Fields("z"), strings.Fields("e a b d")}}
	for _, kind := range []Positions{Model2, Diagonal, HMM} {
		m := train(t, randomCorpus(random(3), 5, 3), &setup{Stages: []Stage{{kind, 2, Own, Separate}}, Classes: 2})
		s, loaded := m.saved(), 0
		for what := range spoiled.Fields(s) {
			var b bytes.Buffer
			head := *s
			head.Col, head.Translations = nil, nil
			if err := saveFormat.Write(&b, &head); err != nil {
				t.Fatal(err)
			}
			if err := pairsFormat.Write(&b, savedPairs{s.Col, s.Translations}); err != nil {
				t.Fatal(err)
			}
			read, err := Load(&b)
			if err != nil {
				if !errors.Is(err, ErrFormat) {
					t.Errorf("%v, %s: error %v", kind, what, err)
				}
				continue
			}
			loaded++
			if _, err := Load(bytes.NewReader(written(t, read))); err != nil {
				t.Errorf("%v, %s: saved again: %v", kind, what, err)
			}
			for _, x := range sentences {
				forward, backward, err := read.LogProb(x)
				if err != nil || !(forward <= 0) || !(backward <= 0) {
					t.Errorf("%v, %s: ln P are %g and %g, error %v", kind, what, forward, backward, err)
				}
				p, q, err := read.Posteriors(x)
				if errors.Is(err, em.ErrUnderivable) {
					continue
				}
				if err != nil || !probable(slices.Concat(p.P, q.P)) {
					t.Errorf("%v, %s: posteriors %v and %v, error %v", kind, what, p, q, err)
				}
			}
		}
		if loaded < 100 {
			t.Errorf("%v: %d models loaded", kind, loaded)
		}
	}
}

// textOf returns a corpus of lines of words, E and F in turn.
func textOf(t *testing.T, lines ...string) *Corpus {
	t.Helper()
	c := NewCorpus()
	for i := 0; i < len(lines); i += 2 {
		if err := c.Add(Sentence{strings.Fields(lines[i]), strings.Fields(lines[i+1])}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

var lines = []string{
	"the house", "das haus", "the small house", "das kleine haus", "a small dog", "ein kleiner hund",
	"the dog sleeps here", "hier schläft der hund", "a house", "ein haus", "here is the small dog", "hier ist der kleine hund",
}

// TestStart: training that is interrupted before any M step, saved, loaded and gone on
// with ends with the same model, to the last bit.
func TestStart(t *testing.T) {
	c := textOf(t, lines...)
	opts := func() *setup {
		return &setup{
			Stages: []Stage{{Model1, 2, Own, Multiplied}, {Model2, 2, Own, Separate}, {Diagonal, 2, Own, Separate}, {HMM, 3, Joint, Averaged}},
			Floor:  1e-7, Classes: 3, Decode: Joint, Workers: 1,
		}
	}
	save := func(m *Model) []byte {
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	type state struct {
		model            []byte
		stage, iteration int
		rest             []float64
	}
	var states []state
	whole := opts()
	whole.Observer = func(m *Model, p Progress) {
		states = append(states, state{save(m), p.Stage, p.Iteration, nil})
		for i := range states {
			states[i].rest = append(states[i].rest, p.Objective)
		}
	}
	trained, _, err := whole.train(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p, q, err := trained.Posteriors(Sentence{strings.Fields("the small dog"), strings.Fields("der kleine hund")})
	if err != nil {
		t.Fatal(err)
	}
	if len(states) != 9 {
		t.Fatalf("%d iterations", len(states))
	}
	for _, s := range states {
		o := opts()
		if o.Start, err = Load(bytes.NewReader(s.model)); err != nil {
			t.Fatal(err)
		}
		o.Stages = o.Stages[s.stage:]
		o.Stages[0].Iterations -= s.iteration
		var rest []float64
		o.Observer = func(_ *Model, p Progress) { rest = append(rest, p.Objective) }
		m, _, err := o.train(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(s.rest, rest); d != "" {
			t.Errorf("from stage %d, iteration %d: %s", s.stage, s.iteration, d)
		}
		x, y, err := m.Posteriors(Sentence{strings.Fields("the small dog"), strings.Fields("der kleine hund")})
		if err != nil || !slices.Equal(x.P, p.P) || !slices.Equal(y.P, q.P) {
			t.Errorf("from stage %d, iteration %d: other posteriors, %v", s.stage, s.iteration, err)
		}
	}
}

func TestBadStart(t *testing.T) {
	o := &setup{Classes: 2, Stages: []Stage{{HMM, 1, Own, Separate}}}
	m := train(t, textOf(t, lines...), o)
	o.Start = m
	train(t, textOf(t, lines...), o)
	for _, test := range []struct {
		c    *Corpus
		want string
	}{
		{textOf(t, lines[:8]...), "other words of the source"},
		{textOf(t, slices.Concat(lines, []string{"house dog", "haus hund"})...), "other sentences"},
	} {
		if _, _, err := o.train(t.Context(), test.c); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
}

// TestLoadPowers: a file from when decoding had powers is read. The model was trained by the joint
// E step and decodes so; the probabilities are those that it returned then.
func TestLoadPowers(t *testing.T) {
	file, err := os.Open("testdata/powers.model")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	forward, backward, err := m.LogProb(Sentence{strings.Fields("a b c"), strings.Fields("a c")})
	if err != nil || m.decode != Joint || forward != -5.83728251638885 || backward != -20.492546342034583 {
		t.Errorf("it decodes by %v, ln P %v and %v, error %v", m.decode, forward, backward, err)
	}
	s := m.saved()
	for _, decoding := range []savedDecoding{{Partner: .5}, {Partner: 1, Power: .5}, {Partner: math.NaN()}} {
		if s.Decode = decoding; s.check() == nil {
			t.Errorf("decoding by powers %v is read", decoding)
		}
	}
}
