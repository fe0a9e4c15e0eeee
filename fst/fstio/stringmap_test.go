package fstio_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

// pairs returns the paths of a machine as text, in order.
func pairs(f *fst.FST[semiring.Cost]) []string {
	var list []string
	for p := range f.Paths() {
		list = append(list, fmt.Sprint(p.In, p.Out, p.Weight))
	}
	slices.Sort(list)
	return list
}

func TestReadStringMap(t *testing.T) {
	names := fst.NewSymbols("a", "b", "ö", "go", "went")
	for what, x := range map[string]struct {
		text string
		o    *fstio.Strings
		want []string
	}{
		"characters":    {"aö\tb\n\nb\r\n", nil, []string{"[97 246] [98] 0", "[98] [98] 0"}},
		"names":         {"aö\tb\t0.5\n", &fstio.Strings{In: names}, []string{"[1 3] [98] 0.5"}},
		"bytes":         {"ö\ta b\t2\n", &fstio.Strings{Tokens: fstio.Bytes}, []string{"[195 182] [97 32 98] 2"}},
		"words":         {"go  <eps> a\twent\n", &fstio.Strings{Tokens: fstio.Words, In: names, Out: names}, []string{"[4 1] [5] 0"}},
		"numbers":       {"7 0 8\t9\t1", &fstio.Strings{Tokens: fstio.Words}, []string{"[7 8] [9] 1"}},
		"empty strings": {"\ta\nb\t\n\t\t3\n", nil, []string{"[98] [] 0", "[] [97] 0", "[] [] 3"}},
		"the same pair": {"a\tb\t2\na\tb\t1\n", nil, []string{"[97] [98] 1"}},
		"nothing":       {"\n\n", nil, nil},
	} {
		f := must(fstio.ReadStringMap(strings.NewReader(x.text), tropical, x.o))(t)
		if got := pairs(f); !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", what, got, x.want)
		}
		if x.o != nil && (f.InSymbols() != x.o.In || f.OutSymbols() != x.o.Out) {
			t.Errorf("%s: the machine has other names", what)
		}
	}
}

func TestReadStringMapFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lexicon.tsv.gz")
	file := must(os.Create(name))(t)
	z := gzip.NewWriter(file)
	fmt.Fprint(z, "go\twent\nsee\tsaw\ta lot\n")
	if err := errors.Join(z.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := fstio.ReadStringMapFile(name, tropical, nil); !strings.Contains(fmt.Sprint(err), "lexicon.tsv.gz:2: bad format: weight") {
		t.Errorf("%v, want the name of the file and the line", err)
	}
}

// A map has one path for each pair in the text; its cost is the least cost of the pair's lines.
func FuzzReadStringMap(f *testing.F) {
	for _, text := range []string{"", "a\n", "a\tb\n", "a\tb\t1\nab\tb\t2\na\tb\t-1\n", "\t\n\t\t7\n", "ö\tx y\r\n", "\r\r", "1 2\t3\n1 0 2\t3", "\ufeffa\tb\r\rc"} {
		for tokens := range 3 {
			f.Add(text, tokens)
		}
	}
	f.Fuzz(func(t *testing.T, text string, tokens int) {
		o := &fstio.Strings{Tokens: fstio.Tokens(tokens)}
		var m *fst.FST[semiring.Cost]
		var err error
		memtest.Bound(t, len(text), perStringMap, func() { m, err = fstio.ReadStringMap(strings.NewReader(text), tropical, o) })
		// Walking long paths takes quadratic time.
		if err != nil || o.Tokens == fstio.Words || len(text) > 1000 {
			return
		}
		least := map[string]semiring.Cost{}
		plain := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
		for line := range strings.Lines(plain) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" {
				continue
			}
			columns := strings.Split(line, "\t")
			w := semiring.Cost(0)
			if len(columns) == 3 {
				w = must(semiring.Tropical{}.Parse(columns[2]))(t)
			}
			key := columns[0] + "\t" + columns[min(1, len(columns)-1)]
			if v, ok := least[key]; !ok || w < v {
				least[key] = w
			}
		}
		for key, w := range least {
			if w == (semiring.Tropical{}).Zero() {
				delete(least, key)
			}
		}
		for p := range m.Paths() {
			in, out := string(runes(p.In)), string(runes(p.Out))
			if o.Tokens == fstio.Bytes {
				in, out = string(octets(p.In)), string(octets(p.Out))
			}
			if w, ok := least[in+"\t"+out]; !ok || w != p.Weight {
				t.Fatalf("%q: the pair of %q and %q costs %v, want %v, %v", text, in, out, p.Weight, w, ok)
			}
			delete(least, in+"\t"+out)
		}
		if len(least) > 0 {
			t.Fatalf("%q: no path for %v", text, least)
		}
	})
}

func runes(labels []int32) (text []rune) { return append(text, labels...) }

func octets(labels []int32) (text []byte) {
	for _, l := range labels {
		text = append(text, byte(l))
	}
	return text
}
