package pairgram_test

import (
	"context"
	"errors"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/pairgram"
)

// The file that the aligner of Phonetisaurus would write.
func ExampleAligner_WriteAligned() {
	pairs := []pairgram.Pair{pairgram.Texts("hora", "ora"), pairgram.Texts("coro", "koro"), pairgram.Texts("hoco", "oko")}
	aligner, err := pairgram.NewAligner(pairs, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := aligner.Fit(context.Background(), pairs, nil); err != nil {
		log.Fatal(err)
	}
	letters := fst.RuneSymbols("a-z")
	if err := aligner.WriteAligned(os.Stdout, pairs, letters, letters); err != nil {
		log.Fatal(err)
	}
	// Output:
	// h}_ o}o r}r a}a
	// c}k o}o r}r o}o
	// h}_ o}o c}k o}o
}

// TestWriteAligned: a line spells out its pair, one that cannot be cut has none, and what cannot be
// written is an error.
func TestWriteAligned(t *testing.T) {
	pairs := []pairgram.Pair{pairgram.Texts("ab", "xy"), pairgram.Texts("abc", "x"), pairgram.Texts("b", "y")}
	aligner, err := pairgram.NewAligner(pairs, &pairgram.AlignerOptions{Sizes: []pairgram.Size{{Source: 1, Target: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	letters := fst.RuneSymbols("a-z")
	var b strings.Builder
	if err := aligner.WriteAligned(&b, pairs, letters, letters); err != nil || b.String() != "a}x b}y\nb}y\n" {
		t.Errorf("%q, %v", &b, err)
	}
	if err := aligner.WriteAligned(io.Discard, pairs, fst.NewSymbols(), letters); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("error %v of symbols without names", err)
	}
	if err := aligner.WriteAligned(failing{}, pairs, letters, letters); !errors.Is(err, errFailing) {
		t.Errorf("error %v of the writer", err)
	}
	if err := aligner.WriteAligned(io.Discard, []pairgram.Pair{{Source: []int32{0}}}, letters, letters); !errors.Is(err, pairgram.ErrInvalid) {
		t.Errorf("error %v of symbol 0", err)
	}
}

var errFailing = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFailing }

// TestSplit: the weights of a pair in all classes are its posteriors times its weight, and small
// ones are 0.
func TestSplit(t *testing.T) {
	pairs := []pairgram.Pair{pairgram.Texts("aa", "xx"), pairgram.Texts("aa", "yy"), pairgram.Texts("ab", "xz")}
	pairs[2].Weight = em.Times(3)
	aligner, err := pairgram.NewAligner(pairs, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := aligner.Classes(2, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	const least = .45
	classes, err := c.Split(pairs, least)
	if err != nil || len(classes) != 2 {
		t.Fatal(err)
	}
	for i := range pairs {
		p, err := c.Posteriors(&pairs[i])
		if err != nil {
			t.Fatal(err)
		}
		for k, p := range p {
			if p < least {
				p = 0
			}
			if got := classes[k][i]; got.Weight != em.Times(p*pairs[i].Weight.Float64()) || string(got.Source) != string(pairs[i].Source) {
				t.Errorf("class %d has pair %d with weight %g, want %g of %g", k, i, got.Weight.Float64(), p, pairs[i].Weight.Float64())
			}
		}
	}
	if _, err := c.Split([]pairgram.Pair{{Source: []int32{0}}}, 0); !errors.Is(err, pairgram.ErrInvalid) {
		t.Errorf("error %v of symbol 0", err)
	}
}
