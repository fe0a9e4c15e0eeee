package pairgram_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/pairgram"
)

// What is written is an error, or comes back, whatever the symbols are called.
func TestARPANamesComeBack(t *testing.T) {
	const arpa = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\ta}x\n-0.5\tb|a}_\n-99\t<s>\n-1\t</s>\n\\end\\\n"
	m, err := pairgram.ReadARPA(strings.NewReader(arpa), "x", fst.NewSymbols(), fst.NewSymbols())
	if err != nil {
		t.Fatal(err)
	}
	hostile := []string{"", " ", "a b", "a\tb", "a\nb", "a\rb", "|", "}", "_", "__", "a|b", "a}b", "<s>", "</s>", "<eps>", "\\", `\end\`, `\1-grams:`,
		"\ufeff", "\x00", "\xff", "\u00a0", "a\u00a0b", "\u0085", "\u2028", "\v", "a\vb", "\f", "日本", "-1"}
	written := 0
	for seed := range trials.Seeds(500) {
		rng := rand.New(rand.NewPCG(seed, 18))
		table := func(n int) *fst.Symbols {
			symbols := fst.NewSymbols()
			for symbols.Len() <= n {
				name := fmt.Sprint("s", symbols.Len())
				if rng.IntN(2) == 0 {
					name = hostile[rng.IntN(len(hostile))]
				}
				if _, there := symbols.Find(name); !there {
					symbols.Add(name)
				}
			}
			return symbols
		}
		source, target := table(2), table(1)
		var b bytes.Buffer
		if err := m.WriteARPA(&b, source, target); err != nil {
			if !errors.Is(err, fst.ErrSymbol) || b.Len() > 0 {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		written++
		text := b.String()
		again := func(symbols *fst.Symbols) *fst.Symbols {
			all := fst.NewSymbols()
			for s := range symbols.All() {
				if name, _ := symbols.Name(s); s > 0 {
					all.Add(name)
				}
			}
			return all
		}
		source, target = again(source), again(target)
		read, err := pairgram.ReadARPA(&b, "x", source, target)
		if err != nil {
			t.Fatalf("seed %d: %v of\n%s", seed, err, text)
		}
		var second bytes.Buffer
		if err := read.WriteARPA(&second, source, target); err != nil || second.String() != text {
			t.Fatalf("seed %d: %v: written as\n%s\nfrom\n%s", seed, err, second.String(), text)
		}
	}
	if written < 50 {
		t.Errorf("%d models were written", written)
	}
}
