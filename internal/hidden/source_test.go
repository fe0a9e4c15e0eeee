package hidden

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"example.org/pathsum/models/bayes"
)

// The embedded networks are equal to the shared data.
func TestEmbeddedNetworks(t *testing.T) {
	for name, file := range map[string]string{"asia": "asia", "cancer": "metastatic_cancer"} {
		path := filepath.Join("..", "..", "..", "shared", "data", "bayesnet", file+".bif.gz")
		if _, err := os.Stat(path); err != nil {
			t.Skip("no data: ", err)
		}
		ours, err := embedded(name)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := readBIF(path)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			r := theirs.Sample(rng)
			known := make(map[string]string)
			for v, x := range r {
				known[theirs.Variables()[v].Name] = theirs.Variables()[v].States[int(x)]
			}
			row, err := ours.Evidence(known)
			if err != nil {
				t.Fatal(err)
			}
			a, b := loss(t, ours, row), loss(t, theirs, r)
			if math.Abs(a-b) > 1e-12*b {
				t.Fatalf("%s: loss %v of %v, that of the file is %v", name, a, known, b)
			}
		}
	}
}

func loss(t *testing.T, n *bayes.Network, r bayes.Row) float64 {
	t.Helper()
	l, err := n.LogLoss([]bayes.Row{r})
	if err != nil {
		t.Fatal(err)
	}
	return l
}
