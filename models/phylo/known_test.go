package phylo

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/phylo/msa"
)

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
