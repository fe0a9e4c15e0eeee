package rx_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// Rows of a file of strings become a deterministic tree with common suffixes merged.
func ExampleParseStringMap() {
	e, err := rx.ParseStringMap("months.tsv", "jan\tjanuary\njan.\tjanuary\nfeb\tfebruary\nfeb.\tfebruary\nmar\tmarch\nmar.\tmarch\n")
	if err != nil {
		panic(err)
	}
	alphabet := fst.NewSymbols(strings.Split("abcefhjmnruy.", "")...)
	f, err := rx.NewCompiler(semiring.Boolean{}, alphabet).Compile(e)
	if err != nil {
		panic(err)
	}
	fmt.Println(f.NumStates(), "states", f.NumArcs(), "arcs")
	// Output:
	// 16 states 20 arcs
}

// randomPairs returns pairs of strings of a and b with weights, some of them more than once.
func randomPairs(rng *rand.Rand, weight func() []rx.Expr) []rx.Expr {
	text := func() rx.Expr {
		var s []byte
		for range rng.IntN(5) {
			s = append(s, "ab"[rng.IntN(2)])
		}
		return rx.Text(string(s))
	}
	var es []rx.Expr
	for range 5 + rng.IntN(20) {
		e := text()
		switch rng.IntN(4) {
		case 0, 1:
			e = rx.Cross(e, text())
		case 2:
			e = rx.Concat(rx.Cross(rx.Symbol("a"), rx.Symbol("b")), e)
		}
		parts := append(weight(), e)
		es = append(es, rx.Concat(append(parts, weight()...)...))
		if rng.IntN(5) == 0 {
			es = append(es, es[rng.IntN(len(es))])
		}
	}
	return es
}

// A union of many strings is the sum of its parts, whatever the ring, in both directions.
func TestStringsWrittenOut(t *testing.T) {
	for seed := range trials.Seeds(120) {
		rng := rand.New(rand.NewPCG(seed, 49))
		letters := 0
		es := randomPairs(rng, func() []rx.Expr {
			if rng.IntN(3) > 0 {
				return nil
			}
			return []rx.Expr{rx.Weight(rx.Coin(fmt.Sprint("λ", rng.IntN(3))))}
		})
		es = append(es, rx.Repeat(rx.Symbol("a"), 1, 4))
		long := es[0]
		for _, e := range es[1:] {
			long = rx.Union(long, e) // of two
		}
		c := rx.NewCompiler(fsttest.Traces{Max: 8}, fst.NewSymbols("a", "b"))
		c.Groups = rx.Weights(func(string, []string) []fsttest.Series {
			letters += 2
			return []fsttest.Series{fsttest.Letter(letters), fsttest.Letter(letters + 1)}
		})
		short := rx.Union(es[0], es[1:]...)
		for _, pair := range [][2]rx.Expr{
			{short, long}, {rx.Invert(short), rx.Invert(long)}, {rx.Invert(rx.Concat(rx.Invert(short), short)), rx.Invert(rx.Concat(rx.Invert(long), long))},
			{rx.ProjectOut(short), rx.ProjectOut(long)}, {rx.Repeat(short, 0, 2), rx.Repeat(long, 0, 2)},
		} {
			got, want := must(c.Compile(pair[0]))(t), must(c.Compile(pair[1]))(t)
			if difference := fsttest.Diff(fsttest.RelationOf(got), fsttest.RelationOf(want)); difference != "" {
				t.Fatalf("%s: %s", pair[0], difference)
			}
		}
	}
}

// The tree is deterministic if each input has one output.
func TestStringsAreDeterministic(t *testing.T) {
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 50))
		known := map[string]bool{}
		var es []rx.Expr
		for _, e := range randomPairs(rng, func() []rx.Expr { return nil }) {
			var in string
			for p := range must(compiler().Compile(e))(t).Paths() {
				in = fmt.Sprint(p.In)
			}
			if !known[in] {
				known[in] = true
				es = append(es, e)
			}
		}
		for len(es) < 5 {
			es = append(es, rx.Text(strings.Repeat("ab", 3+len(es))))
		}
		f := must(compiler().Compile(rx.Union(es[0], es[1:]...)))(t)
		for s := range int32(f.NumStates()) {
			seen := map[int32]bool{}
			for _, a := range f.AppendArcs(nil, s) {
				if seen[a.In] {
					t.Fatalf("%v: state %d has two arcs for label %d of\n%s", es, s, a.In, f)
				}
				seen[a.In] = true
			}
			if seen[fst.Epsilon] && f.Final(s) {
				t.Fatalf("%v: state %d is final and goes on", es, s)
			}
		}
	}
}

func compiler() *rx.Compiler[bool] {
	return rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b"))
}

// rows returns the text of a string map of n distinct words of one to four syllables.
func rows(n int) string {
	var b strings.Builder
	syllables := strings.Fields("ba ko lin mar tes vi quo run sha dol")
	for i := range n {
		word := ""
		for x := i; ; x /= len(syllables) {
			word += syllables[x%len(syllables)]
			if x < len(syllables) {
				break
			}
		}
		fmt.Fprintf(&b, "%s\t%sth and %d\n", word, word[:2], i)
	}
	return b.String()
}

// Ten thousand rows of a string map, from its text to the machine.
func BenchmarkStringMap(b *testing.B) {
	text := rows(10_000)
	alphabet := fst.NewSymbols()
	for r := ' '; r <= '~'; r++ {
		alphabet.Add(string(r))
	}
	for b.Loop() {
		e, err := rx.ParseStringMap("words.tsv", text)
		if err != nil {
			b.Fatal(err)
		}
		f, err := rx.NewCompiler(semiring.Tropical{}, alphabet).Compile(e)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(f.NumStates()), "states")
		b.ReportMetric(float64(f.NumArcs()), "arcs")
	}
}
