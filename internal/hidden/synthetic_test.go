package hidden

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/models/bayes"
)

var update = flag.Bool("update", false, "draw the synthetic networks anew")

// synthetic defines how each synthetic network was drawn: the seed, and the parents of each
// variable: "H<AB" is H with the parents A and B.
var synthetic = map[string]struct {
	seed      uint64
	variables []string
}{
	"three-layers":   {1, threeLayers},
	"six-nodes":      {2, sixNodes},
	"naive-bayes":    {3, naiveBayes},
	"three-layers-2": {14, threeLayers},
	"six-nodes-2":    {15, sixNodes},
	"naive-bayes-2":  {16, naiveBayes},
}

var (
	threeLayers = []string{"A", "B", "C", "G<AB", "H<BC", "D<G", "E<GH", "F<H", "I<GH"}
	sixNodes    = []string{"A", "B", "H<AB", "C<H", "D<H", "E<CD"}
	naiveBayes  = []string{"H", "A<H", "B<H", "C<H", "D<H", "E<H", "F<H"}
)

const (
	// values is the number of states of a variable of a synthetic network.
	values = 3
	// strength is the weight with which each configuration of the parents prefers a state.
	strength = 2
)

// random returns a network with random tables: rows are drawn uniformly from the simplex, and
// then prefer a state. Each configuration of the parents prefers another state, so that
// dependence is strong.
func random(rng *rand.Rand, structure []string) (*bayes.Network, error) {
	number := make(map[string]int)
	var variables []bayes.Variable
	var families []bayes.Family
	for v, text := range structure {
		name, parents, _ := strings.Cut(text, "<")
		number[name] = v
		f := bayes.Family{Children: []int{v}}
		configurations := 1
		for _, p := range parents {
			f.Parents = append(f.Parents, number[string(p)])
			configurations *= values
		}
		var preferred []int
		for len(preferred) < configurations {
			preferred = append(preferred, rng.Perm(values)...)
		}
		for c := range configurations {
			row := make([]float64, values)
			for x := range row {
				row[x] = rng.ExpFloat64()
			}
			floats.Scale(1/floats.Sum(row), row)
			if parents == "" {
				floats.AddConst(1, row)
			} else {
				row[preferred[c]] += strength
			}
			floats.Scale(1/floats.Sum(row), row)
			f.Table = append(f.Table, row...)
		}
		variables, families = append(variables, bayes.Variable{Name: name, States: []string{"0", "1", "2"}}), append(families, f)
	}
	return bayes.New(variables, families)
}

// TestSynthetic: the networks of the package are equal to the drawn ones.
func TestSynthetic(t *testing.T) {
	for name, s := range synthetic {
		n, err := random(rand.New(rand.NewPCG(s.seed, 0)), s.variables)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := n.WriteBIF(&want); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("networks", name+".bif")
		if *update {
			if err := os.WriteFile(file, want.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is not the network of seed %d", file, s.seed)
		}
	}
}
