package ngram

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
)

// hostile are names that a line of an ARPA file may not be able to hold.
var hostile = []string{"", " ", "a b", "a\tb", "a\nb", "a\rb", "\r", "<s>", "</s>", "<unk>", "<eps>", "\\", `\end\`, `\data\`, `\2-grams:`, "-1", "ngram", "\ufeff", "\ufeffx",
	"\x00", "\xff", "\xff\xfe", "\u00a0", "a\u00a0b", "\u2028", "\v", "\f", "日本", "|", "}", "_", strings.Repeat("x", 1<<17)}

// What is written is an error, or comes back, whatever the symbols are called.
func TestARPANamesComeBack(t *testing.T) {
	written := 0
	for seed := range trials.Seeds(500) {
		rng := rand.New(rand.NewPCG(seed, 18))
		symbols := fst.NewSymbols()
		for symbols.Len() < 4 {
			name := hostile[rng.IntN(len(hostile))]
			if rng.IntN(2) == 0 {
				name = string(rune('a' + symbols.Len()))
			}
			if _, there := symbols.Find(name); !there {
				symbols.Add(name)
			}
		}
		counter, err := NewCounter(2, 3)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := counter.AddString([]int32{1 + rng.Int32N(3), 1 + rng.Int32N(3)}, 1); err != nil {
				t.Fatal(err)
			}
		}
		m, err := counter.Model(nil)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := m.WriteARPA(&b, symbols); err != nil {
			if !errors.Is(err, fst.ErrSymbol) || b.Len() > 0 || len(err.Error()) > 300 {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		written++
		text := b.String()
		again := fst.NewSymbols()
		for s := range symbols.All() {
			if name, _ := symbols.Name(s); s > 0 {
				again.Add(name)
			}
		}
		read, err := ReadARPA(&b, "x", again)
		if err != nil || again.Len() != symbols.Len() {
			t.Fatalf("seed %d: %v of\n%.300s", seed, err, text)
		}
		var second bytes.Buffer
		if err := read.WriteARPA(&second, again); err != nil || second.String() != text {
			t.Fatalf("seed %d: %v: written as\n%.300s\nfrom\n%.300s", seed, err, second.String(), text)
		}
	}
	if written < 50 {
		t.Errorf("%d models were written", written)
	}
}
