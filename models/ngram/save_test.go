package ngram

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/saved"
)

func save(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSave: a model comes back to the last bit, and what follows it is left to others.
func TestSave(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for trial := range 20 {
		order, vocabulary := 1+trial%5, 2+rng.Int32N(5)
		all, weights := random(rng, 1+rng.IntN(12), vocabulary)
		opts := options(rng, Smoothing(trial%2))
		m := trainWith(t, order, vocabulary, all, weights, &opts)
		r := bufio.NewReader(strings.NewReader(string(save(t, m)) + "and so on"))
		got, err := Load(r)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, m) {
			t.Fatalf("order %d: %+v, was %+v", order, got, m)
		}
		if rest, err := r.ReadString('n'); rest != "an" || err != nil {
			t.Errorf("what follows is %q, %v", rest, err)
		}
	}
	read := readARPA(t, handARPA, fst.NewSymbols())
	if got, err := Load(bytes.NewReader(save(t, read))); err != nil || !reflect.DeepEqual(got, read) {
		t.Errorf("%+v, %v, was %+v", got, err, read)
	}
	if err := read.Save(&failing{}); !errors.Is(err, errFailing) {
		t.Errorf("a broken writer: %v", err)
	}
}

// randomARPA returns the text of a model with random n-grams, whose contexts are all
// there, and numbers that need not sum to anything.
func randomARPA(rng *rand.Rand) string {
	number := func() string {
		return []string{"-1", "-0.3", "0", "-99", "-inf", "-1e300", "-1e-300"}[rng.IntN(7)]
	}
	words := []string{"a", "b", "c", "</s>"}
	grams := [][]string{{""}} // by length, those that may be contexts
	var sections []string
	head := ""
	order := 1 + rng.IntN(4)
	for length := 1; length <= order; length++ {
		var next, lines []string
		for _, context := range grams[length-1] {
			last := words
			if length == 1 {
				last = append([]string{"<s>"}, words...)
			}
			for _, w := range last {
				if rng.IntN(3) == 0 {
					continue
				}
				line := number() + "\t" + context + w
				if length < order && rng.IntN(2) == 0 {
					line += "\t" + []string{"1", "-2", "-99", "7e307", "0"}[rng.IntN(5)]
				}
				lines = append(lines, line)
				if w != "</s>" {
					next = append(next, context+w+" ")
				}
			}
		}
		rng.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
		grams = append(grams, next[:min(len(next), 5)])
		head += fmt.Sprintf("ngram %d=%d\n", length, len(lines))
		sections = append(sections, fmt.Sprintf("\\%d-grams:\n%s\n", length, strings.Join(lines, "\n")))
	}
	return "\\data\\\n" + head + strings.Join(sections, "") + "\\end\\\n"
}

// TestSaveRead: whatever is read from text can be saved and loaded, pruned or not, and
// Validate has the same to say of it.
func TestSaveRead(t *testing.T) {
	same := func(m *Model, what string) {
		t.Helper()
		loaded, err := Load(bytes.NewReader(save(t, m)))
		if err != nil || !reflect.DeepEqual(loaded, m) {
			t.Errorf("%s: loaded %+v, %v, want %+v", what, loaded, err, m)
			return
		}
		if a, b := m.Validate(1e-3), loaded.Validate(1e-3); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: %v before, %v after", what, a, b)
		}
	}
	same(readARPA(t, "\\data\\\nngram 1=2\n\\1-grams:\n-99\t<s>\n0\t</s>\n\\end\\\n", fst.NewSymbols("a")), "a unigram model with <s>")
	rng := rand.New(rand.NewPCG(18, 18))
	for range 500 {
		text := randomARPA(rng)
		m := readARPA(t, text, fst.NewSymbols("a"))
		same(m, text)
		if pruned, err := m.Pruned(.1); err == nil {
			same(pruned, "pruned "+text)
		}
		if t.Failed() {
			return
		}
	}
	_, err := ReadARPA(strings.NewReader("\\data\\\nngram 1=1\nngram 2=0\n\\1-grams:\n-1\ta\t1e308\n\\2-grams:\n\\end\\\n"), "text", fst.NewSymbols())
	if !errors.Is(err, ErrFormat) {
		t.Errorf("a back-off weight beyond all numbers: %v", err)
	}
}

// TestLoadErrors: models that would not work are not loaded.
func TestLoadErrors(t *testing.T) {
	m := train(t, 3, 3, [][]int32{{1, 2, 1}, {2, 1}, {3, 2, 1, 2}})
	good := save(t, m)
	for i, spoil := range []func(s *savedModel){
		func(s *savedModel) { s.Order = 0 },
		func(s *savedModel) { s.Order = 2 },
		func(s *savedModel) { s.Order = 4 },
		func(s *savedModel) { s.Vocabulary = 2 },
		func(s *savedModel) { s.Vocabulary = math.MaxInt32 },
		func(s *savedModel) { s.Unseen = math.NaN() },
		func(s *savedModel) { s.Logp[3] = math.Inf(1) },
		func(s *savedModel) { s.Backoff[3] = math.NaN() },
		func(s *savedModel) { s.Backoff = s.Backoff[1:] },
		func(s *savedModel) { s.Logp = s.Logp[1:] },
		func(s *savedModel) { s.Symbol = s.Symbol[1:] },
		func(s *savedModel) { s.Symbol[1] = -2 },
		func(s *savedModel) { s.Symbol[4] = s.Symbol[3] },
		func(s *savedModel) { s.Symbol[len(s.Symbol)-1] = begin },
		func(s *savedModel) { s.Symbol[1], s.Symbol[2] = s.Symbol[2], s.Symbol[1] },
		func(s *savedModel) { s.First[0] = 0 },
		func(s *savedModel) { s.First[0] = 2 },
		func(s *savedModel) { s.First[2]++ },
		func(s *savedModel) { s.First[1]++ },
		func(s *savedModel) { s.First[2] = -5 },
		func(s *savedModel) { s.First[len(s.First)-1]-- },
		func(s *savedModel) { s.First[len(s.First)-1]++ },
		func(s *savedModel) { s.First = nil },
		func(s *savedModel) { s.Level = nil },
		func(s *savedModel) { s.Level[0] = 1 },
		func(s *savedModel) { s.Level[1] = 2 },
		func(s *savedModel) { s.Level[2] = 1 },
		func(s *savedModel) { s.Level[2] = 1000 },
		func(s *savedModel) { s.Level[len(s.Level)-1]++ },
		func(s *savedModel) { s.Level = append(s.Level, s.Level[len(s.Level)-1]) },
	} {
		var s savedModel
		if err := saveFormat.Read(bytes.NewReader(good), &s); err != nil {
			t.Fatal(err)
		}
		spoil(&s)
		var b bytes.Buffer
		if err := saveFormat.Write(&b, s); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(&b); !errors.Is(err, ErrFormat) {
			t.Errorf("change %d: error %v", i, err)
		}
	}
}

// FuzzLoad: what is loaded without an error can be used.
func FuzzLoad(f *testing.F) {
	f.Add(save(f, train(f, 3, 3, [][]int32{{1, 2, 1}, {2, 1}, {3, 2, 1, 2}})))
	f.Add(save(f, train(f, 1, 2, [][]int32{{1}})))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m *Model
		var err error
		memtest.Bound(t, len(data)+saved.Ahead/400, 400, func() { m, err = Load(bytes.NewReader(data)) })
		if err != nil {
			return
		}
		k := m.Start()
		for _, w := range []int32{1, 2, 1, 1, m.vocabulary} {
			k, _ = m.Step(k, w)
		}
		if m.vocabulary < 1000 {
			m.Validate(0)
			m.Pruned(.1)
			if err := m.WriteARPA(new(bytes.Buffer), names(m.vocabulary)); err != nil {
				t.Error(err)
			}
		}
		for i := range m.symbol {
			if s := m.symbols(int32(i)); slices.Contains(s[min(1, len(s)):], begin) {
				t.Errorf("n-gram %v", s)
			}
		}
	})
}
