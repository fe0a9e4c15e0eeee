package phylo

import (
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/models/phylo/msa"
)

// TestMessages: mistakes are refused in words that name the place.
func TestMessages(t *testing.T) {
	var all mistakes.List
	for _, text := range []string{
		"",
		"(a,b)",
		"(a,b",
		"(a,b));",
		"(a,);",
		"(a b,c);",
		"(a:x,b);",
		"(a:-1,b);",
		"(a:1e999,b);",
		"(a:NaN,b);",
		"(a:,b);",
		"('a,b);",
		"(a[x,b);",
		"(a,b);(c,d);",
		"(a,(b,a));",
		"(é:1,b)x y;",
	} {
		all.Add("ParseTree: "+text, ErrInvalid, func() error { _, err := ParseTree(text); return err })
	}
	columnMistakes(t, &all)
	windowMistakes(&all)
	modMistakes(t, &all)
	mistakes.Check(t, all)
}

func columnMistakes(t *testing.T, all *mistakes.List) {
	three := must(ParseTree("(a,b,c);"))
	bad, sum := REV([bases]float64{1.5, -.5, 0, 0}), REV([bases]float64{.5, .5, .5, .5})
	gap, odd, few := JC69(), JC69(), JC69()
	gap.Exchange[0], odd.Exchange[0], few.RateClasses = 2, -1, -1
	for _, x := range []struct {
		call string
		tree *Tree
		p    Process
		want error
	}{
		{"a matrix for each branch of a tree without a root", three, GeneralMarkov{}, ErrInvalid},
		{"one rate matrix, not reversible, of a tree without a root", three, Unrestricted{Frequencies: sum.Frequencies}, ErrInvalid},
		{"rates of any kind at no frequencies", must(ParseTree("[&R](a,b,c);")), Unrestricted{}, em.ErrInvalid},
		{"a single node", must(ParseTree("a;")), JC69(), ErrInvalid},
		{"a negative frequency", three, bad, em.ErrInvalid},
		{"frequencies that sum to 2", three, sum, em.ErrInvalid},
		{"no class 1 of exchangeabilities", three, gap, em.ErrInvalid},
		{"class -1", three, odd, em.ErrInvalid},
		{"-1 classes of rates", three, few, em.ErrInvalid},
	} {
		all.Add("NewColumns: "+x.call, x.want, func() error { _, err := NewColumns(x.tree, x.p); return err })
	}
	varied := JC69()
	varied.RateClasses = 4
	m := must(NewColumns(mammals, varied))
	l := must(m.Likelihood(drawn(mammals, 20)))
	theta := m.Params.Start()
	theta[len(theta)-1] = 1e9
	all.Add("Expect: a shape of 1e9", em.ErrParameter, func() error { _, err := l.Expect(t.Context(), em.Query{Theta: theta}); return err })
	all.Add("Fit: EM of rates", em.ErrMethod, func() error { _, err := em.Fit(t.Context(), l, &em.Options{Method: em.EM{}}); return err })
}

func windowMistakes(all *mistakes.List) {
	for _, text := range []string{"(a,b,c);", "[&U](a,(b,c));", "a;"} {
		all.Add("NewWindows: the tree "+text, ErrInvalid, func() error { _, err := NewWindows(must(ParseTree(text)), em.Multinomial{}, nil); return err })
	}
	m := must(NewWindows(must(ParseTree("(a,(b,c));")), em.Multinomial{}, nil))
	row := []msa.Cell{1, 2}
	for _, x := range []struct {
		call string
		a    *msa.Alignment
	}{
		{"another species", &msa.Alignment{Species: []string{"a", "b", "d"}, Rows: [][]msa.Cell{row, row, row}}},
		{"a row that is too short", &msa.Alignment{Species: []string{"a", "b", "c"}, Rows: [][]msa.Cell{row, row, row[:1]}}},
		{"a first run that starts at column 1", &msa.Alignment{Species: []string{"a", "b", "c"}, Rows: [][]msa.Cell{row, row, row}, Starts: []int{1}}},
		{"weights of neighbours", &msa.Alignment{Species: []string{"a", "b", "c"}, Rows: [][]msa.Cell{row, row, row}, Weights: []float64{2, 1}}},
	} {
		all.Add("Likelihoods: "+x.call, ErrInvalid, func() error { _, err := m.Likelihoods(x.a); return err })
	}
}

func modMistakes(t *testing.T, all *mistakes.List) {
	tree := must(ParseTree("((a:.1,b:.2):.05,(c:.2,d:.3):.05);"))
	good := savedMod(t, modModels(t, tree)["REV+4"])
	load := func(text string) func() error {
		return func() error { _, err := LoadMod(strings.NewReader(text)); return err }
	}
	for _, x := range [][2]string{
		{"ALPHABET: A C G T", "ALPHABET: A C T G"}, {"ORDER: 0", "ORDER: 1"}, {"SUBST_MOD: REV", "SUBST_MOD: UNREST"},
		{"NRATECATS: 4", "NRATECATS: 1000000"}, {"ALPHA: ", "ALPHA: x"}, {"BACKGROUND: ", "BACKGROUND: 1 "},
		{"BACKGROUND: 0", "BACKGROUND: 0.4"}, {"RATE_MAT:\n", "RATE_MAT:\n1 2 3 4\n"}, {"RATE_MAT:\n  -", "RATE_MAT:\n  NaN"},
		{"a:", "b:"}, {"TREE", "TREES"}, {"ORDER: 0", "ORDER: 0\nORDER: 0"}, {"ORDER: 0\n", ""}, {"NRATECATS: 4\n", ""},
		{"ORDER: 0", "RATE_CONSTS: 1 2"},
	} {
		if !strings.Contains(good, x[0]) {
			t.Fatalf("%q is not in the file", x[0])
		}
		call := strings.ReplaceAll("LoadMod: "+x[1]+" for "+x[0], "\n", "⏎")
		all.Add(call, ErrFormat, load(strings.Replace(good, x[0], x[1], 1)))
	}
	all.Add("LoadMod: an empty file", ErrFormat, load(""))
	all.Add("LoadMod: RATE_MAT: alone", ErrFormat, load("RATE_MAT:"))
	all.Add("LoadMod: rates that are not reversible", ErrFormat, load(regexp.MustCompile(`RATE_MAT:\n(\s+\S+)(\s+\S+)`).ReplaceAllString(good, "RATE_MAT:\n$1 9")))
	save := func(m *Columns) func() error { return func() error { return m.SaveMod(io.Discard) } }
	nan := must(NewColumns(tree, JC69()))
	nan.Theta[0] = math.NaN()
	all.Add("SaveMod: a matrix for each branch", ErrInvalid, save(must(NewColumns(tree, GeneralMarkov{}))))
	all.Add("SaveMod: a name with a space", ErrInvalid, save(must(NewColumns(must(ParseTree("('a b':.1,c:.2);")), JC69()))))
	all.Add("SaveMod: a parameter that is not a number", em.ErrParameter, save(nan))
}
