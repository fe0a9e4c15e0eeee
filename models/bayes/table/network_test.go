package table

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

// TestNetwork: a random network by names is that by numbers.
func TestNetwork(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(5)
		table := &Table{File: "t.csv"}
		var variables []bayes.Variable
		rows := make([][]string, 4)
		for v := range n {
			variable := bayes.Variable{Name: fmt.Sprint("v", v), States: []string{"1", "2", "10"}[:1+rng.IntN(3)]}
			variables, table.Columns = append(variables, variable), append(table.Columns, variable.Name)
			for i := range rows {
				rows[i] = append(rows[i], (append(variable.States[:len(variable.States):len(variable.States)], "", "", ""))[i])
			}
		}
		table.Rows = rows
		// Parents come after their children in the order of numbers.
		var families []bayes.Family
		var structure []string
		for v := range n {
			f, part := bayes.Family{Children: []int{v}}, variables[v].Name
			sep := " | "
			for _, p := range rng.Perm(n) {
				if p > v && rng.IntN(2) == 0 {
					f.Parents = append(f.Parents, p)
					part += sep + variables[p].Name
					sep = ", "
				}
			}
			families, structure = append(families, f), append(structure, part)
		}
		got, err := table.Network(strings.Join(structure, "; "))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, err := bayes.New(variables, families)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Variables(), want.Variables()) || !reflect.DeepEqual(got.Families(), want.Families()) {
			t.Errorf("seed %d: %s: %v %v, want %v %v", seed, structure, got.Variables(), got.Families(), want.Variables(), want.Families())
		}
	}
}

// TestNetworkOfMore: a hidden variable, a continuous one, and one that regresses on it.
func TestNetworkOfMore(t *testing.T) {
	table := &Table{File: "t.csv", Columns: []string{"x", "y", "z"}, Rows: [][]string{{"1", "2", ""}}}
	n, err := table.Network("kind; x | kind; y | kind, x",
		bayes.Variable{Name: "kind", States: []string{"A", "B"}}, bayes.Variable{Name: "x"}, bayes.Variable{Name: "y"})
	if err != nil {
		t.Fatal(err)
	}
	if f := n.Family(2); n.Discrete(1) || !reflect.DeepEqual(f.Parents, []int{0}) || !reflect.DeepEqual(f.Regressors, []int{1}) {
		t.Errorf("%+v", f)
	}
}
