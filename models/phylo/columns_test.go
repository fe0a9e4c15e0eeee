package phylo

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/phylo/msa"
)

func contains(err error, text string) bool { return strings.Contains(err.Error(), text) }

// processes are random ones of all kinds.
func processes(seed uint64) []Process {
	r := random(seed)
	var f [bases]float64
	sum := 0.0
	for b := range f {
		f[b] = .1 + r.Float64()
		sum += f[b]
	}
	for b := range f {
		f[b] /= sum
	}
	varied := REV(f)
	varied.RateClasses, varied.Law = 1+r.IntN(4), em.Multinomial{}
	unrestricted := Unrestricted{Frequencies: f, Law: em.Multinomial{}, RateClasses: varied.RateClasses}
	return []Process{GeneralMarkov{}, JC69(), HKY85(f), varied, unrestricted}
}

// probability returns that of the bases of a column under a process, with matrices from
// the table of weights.
func (m *Columns) probability(theta []float64) func(x [][]int) float64 {
	l := &Likelihood{kernel: m.kernel}
	table := must(l.table(theta, 1))
	t := m.kernel.table()
	return func(x [][]int) float64 {
		sum := 0.0
		for class := range t.classes {
			sum += columnProbability(m.tree, x[0], func(a int) float64 { return table[t.root(class, a)].Float64() },
				func(v, a, b int) float64 { return table[t.branch(class, v)+handle(bases*a+b)].Float64() })
		}
		return sum
	}
}

// TestColumnsGradient compares each derivative; TestPromisesOfFree and TestPromisesOfReversible
// have probabilities and posteriors.
func TestColumnsGradient(t *testing.T) {
	for seed := range uint64(3) {
		r := random(seed)
		tree := randomTree(r, 2+r.IntN(3))
		a := randomAlignment(r, tree, 1+r.IntN(5))
		for i, p := range processes(seed) {
			m := must(NewColumns(tree, p))
			differentiate(t, fmt.Sprintf("seed %d, process %d", seed, i), must(m.Likelihood(a)), m.Params.Random(r))
		}
	}
}

// A reversible process does not care where the root is, nor whether there is one.
func TestRootDoesNotMatter(t *testing.T) {
	a := drawn(must(ParseTree("((a:.1,b:.2)x:.3,(c:.4,d:.5)y:.1);")), 50)
	var want float64
	for i, text := range []string{
		"((a:.1,b:.2)x:.3,(c:.4,d:.5)y:.1);",
		"((a:.1,b:.2):0.000001,(c:.4,d:.5):.399999);",
		"(a:.1,b:.2,(c:.4,d:.5):.4);",
		"(c:.4,(d:.5,(a:.1,b:.2):.4):0.000001);",
	} {
		m := must(NewColumns(must(ParseTree(text)), HKY85([bases]float64{.3, .2, .4, .1})))
		e := must(must(m.Likelihood(a)).Expect(t.Context(), em.Query{Theta: m.Theta}))
		if i == 0 {
			want = e.LogLikelihood
		} else if !near(e.LogLikelihood, want, 1e-5) {
			t.Errorf("%s: %v, want %v", text, e.LogLikelihood, want)
		}
	}
}

// Columns that occur several times weigh as much, and those that occur 0 times nothing.
func TestWeights(t *testing.T) {
	a := drawn(mammals, 60)
	b := a.Clone()
	b.Starts, b.Weights = nil, nil
	c := &msa.Alignment{Species: a.Species, Rows: make([][]msa.Cell, len(a.Rows))}
	for j := range a.Columns() {
		n := j % 4
		b.Starts, b.Weights = append(b.Starts, j), append(b.Weights, float64(n))
		for range n {
			c.Starts = append(c.Starts, c.Columns())
			for row := range c.Rows {
				c.Rows[row] = append(c.Rows[row], a.Rows[row][j])
			}
		}
	}
	m := must(NewWindows(mammals, em.Multinomial{}, nil))
	x := must(must(m.Independent(b)).Expect(t.Context(), em.Query{Theta: m.Theta}))
	y := must(must(m.Independent(c)).Expect(t.Context(), em.Query{Theta: m.Theta}))
	if !near(x.LogLikelihood, y.LogLikelihood, 1e-12) {
		t.Errorf("%v with weights, %v without", x.LogLikelihood, y.LogLikelihood)
	}
}

// phyloFit, of PHAST, finds the same maximum.
func TestPhyloFit(t *testing.T) {
	program, err := exec.LookPath("phyloFit")
	if err != nil {
		t.Skip("phyloFit is not installed (Debian package phast)")
	}
	four := must(ParseTree("((Homo:.1,Macaca:.2):.05,(Mus:.2,Rattus:.3):.05);"))
	a := drawn(four, 500)
	dir := t.TempDir()
	var text bytes.Buffer
	for i, name := range a.Species {
		fmt.Fprintf(&text, ">%s\n", name)
		for _, c := range a.Rows[i] {
			text.WriteByte(c.Symbol())
		}
		text.WriteByte('\n')
	}
	fasta, tree := filepath.Join(dir, "a.fa"), filepath.Join(dir, "a.nh")
	for name, content := range map[string]string{fasta: text.String(), tree: four.String()} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	jc, hky, rev, varied := JC69(), HKY85(a.Frequencies()), REV(a.Frequencies()), REV(a.Frequencies())
	varied.RateClasses = 4
	for name, c := range map[string]struct {
		process Process
		args    []string
	}{
		"JC69": {jc, nil}, "HKY85": {hky, nil}, "REV": {rev, nil}, "REV+4": {varied, []string{"--nrates", "4"}},
	} {
		root := filepath.Join(dir, name)
		args := append([]string{"--quiet", "--subst-mod", strings.TrimSuffix(name, "+4"), "--tree", tree, "--precision", "HIGH", "--out-root", root, fasta}, c.args...)
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		model, err := os.ReadFile(root + ".mod")
		if err != nil {
			t.Fatal(err)
		}
		want := must(strconv.ParseFloat(regexp.MustCompile(`TRAINING_LNL: (\S+)`).FindStringSubmatch(string(model))[1], 64))
		m := must(NewColumns(four, c.process))
		r := must(m.Fit(t.Context(), a, &em.Options{Tolerance: 1e-9}))
		if math.Abs(r.LogLikelihood-want) > 1e-5*math.Abs(want) {
			t.Errorf("%s: log likelihood %.6f, phyloFit's %.6f", name, r.LogLikelihood, want)
		}
	}
}

// Training finds the lengths that an alignment was drawn with.
func TestLengths(t *testing.T) {
	tree := must(ParseTree("((a:.1,b:.2):.05,c:.3);"))
	truth := must(NewColumns(tree, JC69()))
	l := &Likelihood{kernel: truth.kernel}
	table := must(l.table(truth.Theta, 1))
	// Changes do not depend on the context.
	m := must(NewWindows(tree, em.Multinomial{}, nil))
	for v := range tree.Root() {
		for a := range bases {
			for b := range bases {
				p := table[truth.kernel.table().branch(0, v)+handle(bases*a+b)].Float64()
				m.Changes(0).First(v, a).In(m.Theta)[b] = p
				for left := range bases {
					m.Changes(0).Second(v, left, a).In(m.Theta)[b] = p
				}
			}
		}
	}
	a := m.Sample(20000, random(3))
	fit := must(NewColumns(must(ParseTree("((a,b),c);")), JC69()))
	must(fit.Fit(t.Context(), a, nil))
	got := fit.Tree()
	for _, pair := range [][2]string{{"a", "b"}, {"a", "c"}, {"b", "c"}} {
		x := got.Distance(got.Node(pair[0]), got.Node(pair[1]))
		if want := tree.Distance(tree.Node(pair[0]), tree.Node(pair[1])); math.Abs(x-want) > .02 {
			t.Errorf("%s to %s is %v, want %v", pair[0], pair[1], x, want)
		}
	}
}

// known reads an alignment and its tree from the folder of data beside the module, if it
// is there.
func known(t *testing.T, name string) (dir string, tree *Tree, a *msa.Alignment) {
	dir = filepath.Join("..", "..", "..", "shared", "data", "phylo")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no data")
	}
	for row, err := range tsv.RowsOf(filepath.Join(dir, "trees.tsv"), 1, 2) {
		if err != nil {
			t.Fatal(err)
		}
		if row.Columns[0] == name {
			tree = must(ParseTree(row.Columns[1]))
		}
	}
	return dir, tree, must(msa.ReadFile(filepath.Join(dir, name+".fa.gz")))
}

// The maximum is what phyloFit 1.6 finds on real alignments.
func TestKnownLikelihoods(t *testing.T) {
	for name, want := range map[string]float64{"placental_8sp": -58447.196391, "enr334_4sp": -115846.980954, "hpmrc_5sp": -48210.737086} {
		_, tree, a := known(t, name)
		m := must(NewColumns(tree, REV(a.Frequencies())))
		if r := must(m.Fit(t.Context(), a, nil)); math.Abs(r.LogLikelihood-want) > 1e-6*math.Abs(want) {
			t.Errorf("%s: log likelihood %.6f, want %.6f", name, r.LogLikelihood, want)
		}
	}
}

// Pairs predict more hidden bases than single columns do.
func TestKnownAccuracy(t *testing.T) {
	for hidden, want := range map[int]float64{20: .8319, 50: .7050} {
		dir, tree, a := known(t, "hpmrc_5sp")
		var cells [][3]int // column, node, base
		for row, err := range tsv.RowsOf(filepath.Join(dir, fmt.Sprintf("hpmrc_5sp.mask%d.tsv.gz", hidden)), 3, 3) {
			if err != nil {
				t.Fatal(err)
			}
			j := must(strconv.Atoi(row.Columns[0]))
			cells = append(cells, [3]int{j, tree.Node(row.Columns[1]), strings.Index(msa.Bases, row.Columns[2])})
			a.Rows[a.Row(row.Columns[1])][j] = msa.Missing
		}
		m := must(NewWindows(tree, em.Multinomial{}, nil))
		m.Squared = 1
		must(m.Fit(t.Context(), a, &em.Options{Iterations: 6}))
		var both []*Posteriors
		for _, l := range must(m.Likelihoods(a)) {
			both = append(both, must(l.Posteriors(t.Context(), m.Theta, tree.Species(), 0)))
		}
		right := 0
		for _, c := range cells {
			q := Average(both, c[1], c[0])
			best := 0
			for b, x := range q {
				if x > q[best] {
					best = b
				}
			}
			if best == c[2] {
				right++
			}
		}
		if share := float64(right) / float64(len(cells)); share < want+.004 {
			t.Errorf("%d %% hidden: %.4f predicted right, %.4f by single columns", hidden, share, want)
		}
	}
}

// A law whose parameters are not the probabilities themselves gave no data a likelihood above 1.
func TestFrequenciesAreProbabilities(t *testing.T) {
	for _, law := range []em.Law{em.Variational{Alpha: 1}, em.Exponents{}} {
		p := JC69()
		p.Law = law
		if _, err := NewColumns(must(ParseTree("(a:.1,b:.1);")), p); !errors.Is(err, em.ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprintf("%T", law)) {
			t.Errorf("%T: error %v, want ErrInvalid", law, err)
		}
	}
}
