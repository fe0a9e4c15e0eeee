package ngram

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/text"
)

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
			[]string{"back-off weights of 2-grams, which are no contexts: 2 were left out"},
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
