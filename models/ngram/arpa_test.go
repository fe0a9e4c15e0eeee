package ngram

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

func writeARPA(t testing.TB, m *Model, symbols *fst.Symbols) string {
	t.Helper()
	var b strings.Builder
	if err := m.WriteARPA(&b, symbols); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func readARPA(t testing.TB, text string, symbols *fst.Symbols) *Model {
	t.Helper()
	m, err := ReadARPA(strings.NewReader(text), "text", symbols)
	if err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	return m
}

// names returns a table of the names w1 … wV.
func names(vocabulary int32) *fst.Symbols {
	t := fst.NewSymbols()
	for w := range vocabulary {
		t.Add(fmt.Sprint("w", w+1))
	}
	return t
}

// TestARPA: what was written and read again is the model to 9 digits, and is written in
// the same way.
func TestARPA(t *testing.T) {
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		order, vocabulary := 1+int(seed)%4, 2+rng.Int32N(5)
		all, weights := random(rng, 1+rng.IntN(12), vocabulary)
		opts := options(rng, Smoothing(seed/4%2))
		m := trainWith(t, order, vocabulary, all, weights, &opts)
		text := writeARPA(t, m, names(vocabulary))
		read := readARPA(t, text, names(vocabulary))
		if again := writeARPA(t, read, names(vocabulary)); again != text {
			t.Fatalf("written again it is\n%s\nbut was\n%s", again, text)
		}
		if err := read.Validate(1e-7); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if read.Order() != len(m.level)-2 || read.Vocabulary() != vocabulary {
			t.Fatalf("order %d, %d symbols, want %d and %d", read.Order(), read.Vocabulary(), order, vocabulary)
		}
		for range 20 {
			s := make([]int32, rng.IntN(7))
			for j := range s {
				s[j] = 1 + rng.Int32N(vocabulary)
			}
			if got, want := read.LogProb(s), m.LogProb(s); math.Abs(got-want) > 1e-8*(1-want) {
				t.Fatalf("log probability of %v is %v, was %v", s, got, want)
			}
		}
		// The words may be numbered anew.
		symbols := fst.NewSymbols()
		renamed := readARPA(t, text, symbols)
		for w := range vocabulary {
			label, ok := symbols.Find(fmt.Sprint("w", w+1))
			if got, want := renamed.Prob(nil, label), read.Prob(nil, w+1); !ok || got != want {
				t.Fatalf("p(w%d) is %v, was %v", w+1, got, want)
			}
		}
	}
}

// A model by hand, with comments, blanks and lines in an odd order, without the back-off
// weight of b and the end of strings after a, and with a probability of 0.
const handARPA = "made by hand\r\n\n\\data\\\r\nngram 1=5\nngram  2 = 4\n\n\\1-grams:\n" +
	"-0.5 b\n-99\t<s>\t-0.25\n-1\ta\t-0.5\n-1.5\t</s>\n-inf\t<unk>\n\n" +
	"\\2-grams:\n-0.25\ta b\n-0.125\t<s> a\n-99 a a\n-0.75 b </s>\n\\end\\\nand so on\n"

func TestARPAByHand(t *testing.T) {
	symbols := fst.NewSymbols("z", "a")
	m := readARPA(t, handARPA, symbols)
	a, _ := symbols.Find("a")
	b, _ := symbols.Find("b")
	unk, ok := symbols.Find("<unk>")
	if a != 2 || b != 3 || !ok || unk != 4 || m.Vocabulary() != 4 || m.Order() != 2 {
		t.Fatalf("a %d, b %d, <unk> %d of %d symbols, order %d", a, b, unk, m.Vocabulary(), m.Order())
	}
	for _, test := range []struct {
		history []int32
		w       int32
		want    float64 // log10
	}{
		{nil, a, -.125},
		{nil, b, -.25 - .5},
		{nil, unk, math.Inf(-1)},
		{nil, 1, math.Inf(-1)}, // z has no line
		{[]int32{a}, b, -.25},
		{[]int32{a}, a, math.Inf(-1)},
		{[]int32{a}, End, -.5 - 1.5},
		{[]int32{b}, a, -1},
		{[]int32{a, b}, End, -.75},
		{[]int32{unk}, b, -.5},
	} {
		if got := math.Log10(m.Prob(test.history, test.w)); math.Abs(got-test.want) > 1e-15 && got != test.want {
			t.Errorf("log10 p(%d | %v) is %v, want %v", test.w, test.history, got, test.want)
		}
	}
	if err := m.Validate(1e-3); !errors.Is(err, ErrInvalid) {
		t.Errorf("a model that does not sum to 1: %v", err)
	}
	want := "\\data\\\nngram 1=6\nngram 2=4\n\n\\1-grams:\n-99\t<s>\t-0.25\n-1.5\t</s>\n-99\tz\n-1\ta\t-0.5\n-0.5\tb\t0\n-99\t<unk>\n\n" +
		"\\2-grams:\n-0.125\t<s> a\n-99\ta a\n-0.25\ta b\n-0.75\tb </s>\n\n\\end\\\n"
	if got := writeARPA(t, m, symbols); got != want {
		t.Errorf("written as\n%s\nwant\n%s", got, want)
	}
}

// TestARPALastWeights: contexts as long as what is longest, in a file without longer
// n-grams, keep their weights.
func TestARPALastWeights(t *testing.T) {
	m := readARPA(t, "\\data\\\nngram 1=2\nngram 2=0\n\\1-grams:\n-1 a -0.5\n-0.25 </s>\n\\2-grams:\n\\end\\\n", fst.NewSymbols())
	if got, want := m.LogProb([]int32{1, 1}), -(1+.5+1+.5+.25)*math.Ln10; math.Abs(got-want) > 1e-14 {
		t.Errorf("log probability %v, want %v", got, want)
	}
}

func TestARPAErrors(t *testing.T) {
	for _, test := range []struct{ replace, by, want string }{
		{"\\data\\", "data", `file:20: bad format: the text ends, want \data\`},
		{"\\data\\", "\\data\\\n\\data\\", `file:4: bad format: "\\data\\", want ngram 1= and a number`},
		{"ngram 1=5", "ngram 1=x", `file:4: bad format: "ngram 1=x", want ngram 1= and a number`},
		{"ngram 1=5", "ngram 1=-1", "want ngram 1= and a number"},
		{"ngram 1=5", "ngram 2=5", "want ngram 1= and a number"},
		{"ngram 1=5", "ngram 1=6", `file:14: bad format: 5 1-grams before "\\2-grams:", and 6 in the head`},
		{"ngram 1=5", "ngram 1=99999999999999", "and 99999999999999 in the head"},
		{"ngram 1=5", "ngram 1=999999999999999999999", "want ngram 1="},
		{"\\2-grams:", "\\3-grams:", `file:14: bad format: "\\3-grams:", want \2-grams:`},
		{"\\end\\", "\\3-grams:", `want \end\`},
		{"\\end\\\nand so on", "", `the text ends, want 2-grams or \end\`},
		{"-0.25\ta b", "-0.25\ta", `file:15: bad format: 2 columns, want log10 of a probability and 2 words`},
		{"-0.25\ta b", "-0.25\ta b -1 c", `5 columns, want log10 of a probability and 2 words`},
		{"-0.25\ta b", "-0.25\ta b x", `"x" is not a logarithm`},
		{"-0.25\ta b", "x </s> b", `"x" is not a logarithm`},
		{"-0.5 b\n", "-0.5 b 1 2\n", `file:8: bad format: 4 columns, want log10 of a probability and 1 words, and log10`},
		{"-0.25\ta b", "x\ta b", `"x" is not a logarithm`},
		{"-0.25\ta b", "NaN a b", `"NaN" is not a logarithm`},
		{"-0.25\ta b", "1e999 a b", `"1e999" is not a logarithm`},
		{"-0.25\ta b", "0.25 a b", `"0.25" is log10 of more than 1`},
		{"-1\ta\t-0.5", "-1 a inf", `"inf" is not a logarithm`},
		{"-0.25\ta b", "-0.25 c b", `"c" is no 1-gram of the file, want every context among the shorter n-grams`},
		{"-0.25\ta b", "-0.25 a a", `file:17: bad format: "a a" is there twice`},
		{"-0.5 b\n", "-0.5 <eps>\n", `"<eps>", which is reserved for ε`},
	} {
		text := strings.Replace(handARPA, test.replace, test.by, 1)
		_, err := ReadARPA(strings.NewReader(text), "file", fst.NewSymbols("a"))
		var parse *ParseError
		if !errors.Is(err, ErrFormat) || !errors.As(err, &parse) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q for %q: error %v, want %q", test.by, test.replace, err, test.want)
		}
	}
	broken := errors.New("broken")
	_, err := ReadARPA(iotest.ErrReader(broken), "file", fst.NewSymbols())
	if !errors.Is(err, broken) || errors.Is(err, ErrFormat) {
		t.Errorf("a broken reader: %v", err)
	}
}

func TestWriteARPAErrors(t *testing.T) {
	m := train(t, 2, 2, [][]int32{{1, 2}})
	for _, second := range []string{"", "two words", "<s>", "</s>", "new\nline", "return\r", "<eps>"} {
		err := m.WriteARPA(new(strings.Builder), fst.NewSymbols("a", second))
		if !errors.Is(err, fst.ErrSymbol) {
			t.Errorf("name %q: %v", second, err)
		}
	}
	if err := m.WriteARPA(new(strings.Builder), fst.NewSymbols("a")); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("no name: %v", err)
	}
	w := &failing{}
	if err := m.WriteARPA(w, names(2)); !errors.Is(err, errFailing) {
		t.Errorf("a broken writer: %v", err)
	}
}

var errFailing = errors.New("no room")

type failing struct{}

func (*failing) Write([]byte) (int, error) { return 0, errFailing }

// perByte bounds what ReadARPA allocates for a byte of text.
const perByte = 200

func TestReadARPAMemory(t *testing.T) {
	const n = 1 << 16
	words, sizes, deep := strings.Builder{}, strings.Builder{}, strings.Builder{}
	for i := range n {
		fmt.Fprintf(&words, "0 %x\n", i)
		fmt.Fprintf(&sizes, "ngram %d=0\n", i+1)
	}
	for i := range 500 { // a^i
		fmt.Fprintf(&deep, "\\%d-grams:\n0%s\n", i+1, strings.Repeat(" a", i+1))
	}
	const data = "\\data\\\n"
	for name, text := range map[string]string{
		"no data":     strings.Repeat("\n", n),
		"a long line": data + strings.Repeat("x", n),
		"columns":     data + "ngram 1=1\n\\1-grams:\n" + strings.Repeat(" a", n),
		"words":       data + fmt.Sprintf("ngram 1=%d\n\\1-grams:\n", n) + words.String() + "\\end\\\n",
		"sizes":       data + sizes.String(),
		"promises":    data + "ngram 1=1000000000000\n\\1-grams:\n0 a\n",
		"deep":        data + strings.ReplaceAll(sizes.String()[:strings.Index(sizes.String(), "ngram 501")], "=0", "=1") + deep.String() + "\\end\\\n",
	} {
		t.Run(name, func(t *testing.T) {
			memtest.Bound(t, len(text), perByte, func() { ReadARPA(strings.NewReader(text), "text", fst.NewSymbols()) })
		})
	}
}

// FuzzReadARPA: what is read can be used, and is read again as it is written.
func FuzzReadARPA(f *testing.F) {
	f.Add(handARPA)
	f.Add("\\data\\\nngram 1=0\n\\1-grams:\n\\end\\\n")
	f.Add("\\data\\\nngram 1=1\n\\1-grams:\n0\t</s>\n\\end\\\n")
	f.Add("\\data\\\nngram 1=3\nngram 2=2\nngram 3=1\n\\1-grams:\n-1 a 1\n-1 b 2\n-1 <s> 3\n\\2-grams:\n-2 a b 4\n-2 <s> a 5\n\\3-grams:\n-3 <s> a b\n\\end\\\n")
	f.Add(randomARPA(rand.New(rand.NewPCG(1, 2))))
	f.Add("\\data\\\nngram 1=2\n\\1-grams:\n-99\t<s>\n0\t</s>\n\\end\\\n")
	f.Add("\\data\\\nngram 1=3\nngram 2=2\n\\1-grams:\n-1 a\n-1 b 1\n-1 <s> .2\n\\2-grams:\n-1 <s> a\n-1 b <s>\n\\end\\\n")
	f.Fuzz(func(t *testing.T, text string) {
		symbols := fst.NewSymbols("a", "b")
		var m *Model
		var err error
		memtest.Bound(t, len(text), perByte, func() { m, err = ReadARPA(strings.NewReader(text), "text", symbols) })
		if err != nil {
			return
		}
		if len(m.symbol) > len(text) {
			t.Errorf("%d n-grams from %d bytes", len(m.symbol), len(text))
		}
		m.Prob([]int32{1, 2, 1}, End)
		if err := m.Validate(1); err == nil {
			if p := m.Prob([]int32{1, 2, 1}, 1); !(p >= 0) {
				t.Errorf("probability %v", p)
			}
		}
		for _, acceptor := range []func(*Model, semiring.Semiring[float64], func(semiring.ScaledFloat) float64) (*fst.FST[float64], error){
			Acceptor[float64], BackoffAcceptor[float64],
		} {
			if _, err := acceptor(m, semiring.Real{}, nil); err != nil && !errors.Is(err, ErrInvalid) {
				t.Error(err)
			}
		}
		loaded, err := Load(bytes.NewReader(save(t, m)))
		same := *m
		same.remarks = nil // they are about the file, and not saved
		if err != nil || !reflect.DeepEqual(loaded, &same) {
			t.Errorf("loaded %+v, %v, want %+v", loaded, err, &same)
		}
		if pruned, err := m.Pruned(.1); err != nil && (!errors.Is(err, ErrInvalid) || m.Validate(1e-3) == nil) || err == nil && len(pruned.symbol) > len(m.symbol) {
			t.Errorf("%d n-grams, pruned %d, %v", len(m.symbol), len(pruned.symbol), err)
		}
		first := writeARPA(t, m, symbols)
		if second := writeARPA(t, readARPA(t, first, symbols), symbols); second != first {
			t.Errorf("%q is written as\n%s\nthen as\n%s", text, first, second)
		}
	})
}

// What no string needs is left out of the files of other tools and counted; the rest of the
// file gives the probabilities.
func TestARPAOfOthers(t *testing.T) {
	const plain = "\\data\\\nngram 1=4\nngram 2=3\n\n\\1-grams:\n-99\t<s>\t-0.25\n-1\ta\t-0.5\n-0.5\tb\n-1.5\t</s>\n\n" +
		"\\2-grams:\n-0.25\ta b\n-0.125\t<s> a\n-0.75\tb </s>\n\n\\end\\\n"
	want := readARPA(t, plain, fst.NewSymbols("a", "b"))
	for name, test := range map[string]struct {
		text    string
		remarks []string
	}{
		"</s> before the last place": {
			strings.NewReplacer("ngram 2=3", "ngram 2=5", "-0.25\ta b\n", "-0.25\ta b\n-0.3\t</s> a\n-0.1 </s> <s>\n").Replace(plain),
			[]string{"n-grams with </s> before the last place or <s> after the first one, which no string has: 2 were left out"},
		},
		"<s> after the first place": {
			strings.NewReplacer("ngram 2=3", "ngram 2=4", "\\end\\", "-0.3\ta <s>\n\\end\\").Replace(plain),
			[]string{"n-grams with </s> before the last place or <s> after the first one, which no string has: 1 were left out"},
		},
		"</s> within a trigram": {
			strings.NewReplacer("ngram 2=3", "ngram 2=3\nngram 3=1", "\\end\\", "\\3-grams:\n-0.5\ta </s> b\n\\end\\").Replace(plain),
			[]string{"n-grams with </s> before the last place or <s> after the first one, which no string has: 1 were left out"},
		},
		"0 n-grams without a section": {
			strings.NewReplacer("ngram 2=3", "ngram 2=3\nngram 3=0\nngram 4=0").Replace(plain), nil,
		},
		"0 n-grams with an empty section": {
			strings.NewReplacer("ngram 2=3", "ngram 2=3\nngram 3=0", "\\end\\", "\\3-grams:\n\n\\end\\").Replace(plain), nil,
		},
		"back-off weights of the longest": {
			strings.NewReplacer("a b", "a b\t0", "b </s>", "b </s>\t-0.7").Replace(plain),
			[]string{"back-off weights of 2-grams, which are not contexts: 2 were left out"},
		},
		"a byte order mark and carriage returns": {"\ufeff" + strings.ReplaceAll(plain, "\n", "\r"), nil},
	} {
		m, err := ReadARPA(strings.NewReader(test.text), "file", fst.NewSymbols("a", "b"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(test.remarks, m.Remarks()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		for _, history := range [][]int32{nil, {1}, {2}, {1, 2}, {2, 1}, {2, 2}} {
			for w := int32(End); w <= 2; w++ {
				if got, want := m.Prob(history, w), want.Prob(history, w); got != want {
					t.Errorf("%s: p(%d | %v) is %v, want %v", name, w, history, got, want)
				}
			}
		}
		var b strings.Builder
		if err := m.WriteARPA(&b, fst.NewSymbols("a", "b")); err != nil || math.IsNaN(m.Prob(nil, 1)) {
			t.Errorf("%s: %v", name, err)
		}
		if again := readARPA(t, b.String(), fst.NewSymbols("a", "b")); again.Remarks() != nil {
			t.Errorf("%s: remarks on what was written: %v", name, again.Remarks())
		}
	}
	if _, err := ReadARPA(strings.NewReader("\xff\xfe\\\x00"), "file", fst.NewSymbols()); !errors.Is(err, text.ErrUTF16) || !strings.HasPrefix(err.Error(), "file:1: ") {
		t.Errorf("UTF-16: %v", err)
	}
}

// A message has at most 40 characters of a token.
func TestARPALongTokens(t *testing.T) {
	long := strings.Repeat("x", 10000)
	for _, replace := range []string{"\\data\\\nngram 1=" + long, "\\data\\\nngram 1=1\n" + long, "\\data\\\nngram 1=1\n\\1-grams:\n" + long + " a\n", "\\data\\\nngram 1=1\nngram 2=1\n\\1-grams:\n-1 a\n\\2-grams:\n-1 " + long + " a\n"} {
		if _, err := ReadARPA(strings.NewReader(replace), "file", fst.NewSymbols()); err == nil || len(err.Error()) > 250 {
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
	}
}
