package align

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/saved"
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
		"decode":  func(s *savedModel) { s.Decode = -1 },
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
