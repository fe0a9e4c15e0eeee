package fst_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

func ExampleFST_String() {
	b := fst.NewBuilder(semiring.Tropical{})
	b.AddStates(2)
	b.AddStart(0, .25)
	b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, Out: 2, To: 1, Weight: .5})
	b.AddArc(0, fst.Arc[semiring.Cost]{In: 2, Out: 2, To: 0})
	b.AddArc(1, fst.Arc[semiring.Cost]{In: 3, To: 0, Weight: 1})
	b.SetFinal(1, 0)
	b.SetSymbols(fst.NewSymbols("a", "b"), fst.NewSymbols("a", "b"))
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	fmt.Print(f)
	// Output:
	// → 0/0.25
	// 0 a:b/0.5 → 1
	// 0 b → 0
	// 1 3:ε/1 → 0
	// 1 →
}

func TestStringIsShort(t *testing.T) {
	text := fst.FromString(semiring.Real{}, make([]int32, 1000)).String()
	if lines := strings.Split(text, "\n"); len(lines) != 102 || lines[100] != "… of 1001 states and 1000 arcs" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-2])
	}
}

// Names that look like something else, or like nothing, are in quotes.
func TestStringQuotesNames(t *testing.T) {
	names := fst.NewSymbols("a", " ", ":", "", "a\nb", "→", "ö'", `"`)
	f := fst.FromString(semiring.Real{}, []int32{1, 2, 3, 4, 5, 6, 7, 8}).WithSymbols(names, names)
	want := "→ 0\n0 a → 1\n1 \" \" → 2\n2 \":\" → 3\n3 \"\" → 4\n4 \"a\\nb\" → 5\n5 \"→\" → 6\n6 ö' → 7\n7 \"\\\"\" → 8\n8 →\n"
	if got := f.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
