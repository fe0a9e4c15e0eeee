package genomes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// small returns three species, with c far from the others, without the cells of a mask.
func small(t *testing.T, mask string) (*Data, error) {
	t.Helper()
	tree, err := phylo.ParseTree("((a:.1,b:.1):.1,c:2);")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	rows, hidden := filepath.Join(folder, "x.fa"), filepath.Join(folder, "mask")
	for name, text := range map[string]string{rows: ">a\nACGT\n>b\nACNT\n>c\nCCTT\n", hidden: mask} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := msa.Options{}.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	d := &Data{Tree: tree, Seen: a}
	return d, d.hide(hidden)
}

// The nearest species with a base predicts two of the three hidden cells correctly: a's A from
// b, a's G from c's T, because b is missing, and c's T from a or b.
func TestNearest(t *testing.T) {
	d, err := small(t, "0\ta\tA\n2\ta\tG\n3\tc\tT\n")
	if err != nil {
		t.Fatal(err)
	}
	if a := d.Accuracy(Nearest(d, d.Tree)); a != 2./3 {
		t.Errorf("accuracy %g, want 2/3", a)
	}
	for _, c := range d.Hidden {
		if _, ok := d.Seen.Rows[d.Seen.Row(d.Tree.Nodes[c.Node].Name)][c.Column].Observed(); ok {
			t.Errorf("%v is not hidden", c)
		}
	}
}

func TestHideErrors(t *testing.T) {
	for mask, want := range map[string]string{"": "no cells", "0\tx\tA\n": `species "x"`, "0\ta\tC\n": "a has A", "2\tb\tG\n": "b has N", "9\ta\tA\n": "a number below 4", "0\ta\n": "mask:1: "} {
		if _, err := small(t, mask); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", mask, err, want)
		}
	}
}

// The same seed draws and hides the same cells.
func TestDraw(t *testing.T) {
	hidden := func(seed uint64) *Data {
		d, err := Draw(seed)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.hideSome(seed); err != nil {
			t.Fatal(err)
		}
		return d
	}
	x, y, z := hidden(1), hidden(1), hidden(2)
	n := float64(Columns * len(x.Seen.Rows))
	if share := float64(len(x.Hidden)) / n; share < hiddenShare-.02 || share > hiddenShare+.02 || x.Seen.Columns() != Columns {
		t.Errorf("%g of the cells are hidden, of %d columns", share, x.Seen.Columns())
	}
	for i, c := range x.Hidden {
		if c != y.Hidden[i] {
			t.Fatalf("%v and %v by one seed", c, y.Hidden[i])
		}
	}
	if len(x.Hidden) == len(z.Hidden) && x.Hidden[0] == z.Hidden[0] && x.Hidden[9] == z.Hidden[9] {
		t.Error("two seeds hide the same")
	}
}
