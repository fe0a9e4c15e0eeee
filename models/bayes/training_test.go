package bayes_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/models/bayes"
)

// naive returns a network of a hidden root with so many states and binary children.
func naive(states, children int) *bayes.Network {
	variables := []bayes.Variable{{Name: "h", States: strings.Split("abcdefgh", "")[:states]}}
	families := []bayes.Family{{Children: []int{0}}}
	for i := range children {
		variables = append(variables, bayes.Variable{Name: string(rune('p' + i)), States: []string{"0", "1"}})
		families = append(families, bayes.Family{Children: []int{1 + i}, Parents: []int{0}})
	}
	return must(bayes.New(variables, families))
}

// drawn returns rows of a network with random tables, the first variable hidden.
func drawn(n *bayes.Network, size int, seed uint64) bayes.Data {
	rng := graphtest.Rand(seed)
	m := must(bayes.NewModel(n, nil))
	m.Theta = m.Params.Random(rng)
	truth := must(m.Network())
	var d bayes.Data
	for range size {
		d.Rows = append(d.Rows, truth.Sample(rng))
	}
	d.Rows = bayes.Hide(d.Rows, 0)
	return d
}

// A start that says nothing about a hidden variable is refused, whichever way it does;
// a random one is fine, and so are restarts.
func TestSymmetricStart(t *testing.T) {
	n := naive(3, 4)
	data := drawn(n, 50, 1)
	m := must(bayes.NewModel(n, nil))
	uniform := m.Theta
	if _, err := m.Fit(ctx, data, nil); !errors.Is(err, em.ErrSymmetric) || !strings.Contains(err.Error(), "of h") {
		t.Errorf("a uniform start: %v", err)
	}
	r, err := m.Fit(ctx, data, &em.Options{Restarts: 1, Rand: rand.NewPCG(1, 2)})
	if err != nil || r.Start != 1 {
		t.Errorf("with a restart: %v", err)
	}
	// An uneven root does not help children that do not depend on it.
	m.Theta = append([]float64{.5, .3, .2}, uniform[3:]...)
	if _, err := m.Fit(ctx, data, nil); !errors.Is(err, em.ErrSymmetric) {
		t.Errorf("children that do not depend on the root: %v", err)
	}
	// The refusal is right: EM by itself stays there.
	l := must(m.Likelihood(data))
	stuck := must(em.Fit(ctx, l, &em.Options{Start: m.Theta}))
	for c := range 3 {
		for v := 1; v < n.Len(); v++ {
			if got, want := m.Group(v, c).In(stuck.Theta), m.Group(v, 0).In(stuck.Theta); !near(got[0], want[0]) {
				t.Errorf("EM left the symmetric start: %v, %v", got, want)
			}
		}
	}
	// Two alike states of three are refused, too; different ones are not.
	m.Theta = append([]float64(nil), uniform...)
	copy(m.Group(1, 0).In(m.Theta), []float64{.4, .6})
	if _, err := m.Fit(ctx, data, nil); !errors.Is(err, em.ErrSymmetric) || !strings.Contains(err.Error(), `"b" and "c"`) {
		t.Errorf("two states alike: %v", err)
	}
	copy(m.Group(1, 1).In(m.Theta), []float64{.7, .3})
	if _, err := m.Fit(ctx, data, nil); err != nil {
		t.Errorf("states that differ: %v", err)
	}
	// Parents that tell states apart break the symmetry.
	chain := must(bayes.New([]bayes.Variable{{"a", []string{"0", "1"}}, {"h", []string{"0", "1"}}, {"b", []string{"0", "1"}}}, []bayes.Family{
		{Children: []int{0}}, {Children: []int{1}, Parents: []int{0}, Table: []float64{.6, .4, .3, .7}}, {Children: []int{2}, Parents: []int{1}}}))
	m = must(bayes.NewModel(chain, nil))
	nan := math.NaN()
	some := bayes.Data{Rows: []bayes.Row{{0, nan, 0}, {0, nan, 0}, {1, nan, 1}, {0, nan, 1}}}
	if _, err := m.Fit(ctx, some, nil); err != nil {
		t.Errorf("parents that tell states apart: %v", err)
	}
	if p := must(m.Network()).Family(2).Table; near(p[0], p[2]) {
		t.Errorf("P(b | h) does not depend on h: %v", p)
	}
	// Nothing is learnt of fixed tables, so nothing is stuck.
	m = must(bayes.NewModel(n, bayes.SameLaw(em.Fixed{})))
	if _, err := m.Fit(ctx, data, nil); err != nil {
		t.Errorf("fixed tables: %v", err)
	}
}

// Rows of tables that no data visit keep their numbers, or those of the prior.
func TestUnvisitedRows(t *testing.T) {
	n := must(bayes.New([]bayes.Variable{{"a", []string{"0", "1", "2"}}, {"b", []string{"0", "1"}}}, []bayes.Family{
		{Children: []int{0}}, {Children: []int{1}, Parents: []int{0}, Table: []float64{.5, .5, .5, .5, .2, .8}}}))
	data := bayes.Data{Rows: []bayes.Row{{0, 0}, {0, 1}, {1, 1}, {0, 1}}}
	for _, test := range []struct {
		law  em.Law
		want []float64
	}{
		{em.Multinomial{}, []float64{1. / 3, 2. / 3, 0, 1, .2, .8}},
		{em.Dirichlet{Alpha: 2}, []float64{2. / 5, 3. / 5, 1. / 3, 2. / 3, .5, .5}},
		{em.Fixed{}, []float64{.5, .5, .5, .5, .2, .8}},
	} {
		m := must(bayes.NewModel(n, bayes.SameLaw(test.law)))
		must(m.Fit(ctx, data, nil))
		for i, p := range must(m.Network()).Family(1).Table {
			if !near(p, test.want[i]) {
				t.Errorf("%T: entry %d is %v, want %v", test.law, i, p, test.want[i])
			}
		}
	}
	m := must(bayes.NewModel(n, bayes.SameLaw(bayes.Ridge{Beta: 1})))
	must(m.Fit(ctx, data, nil))
	if p := must(m.Network()).Family(1).Table; !near(p[4], .5) || !(p[2] > 0) {
		t.Errorf("with a ridge: %v", p)
	}
}

// A probability of 0 stays 0 without a prior, comes back with one, and where it makes a
// row impossible that is an error which names the row.
func TestZeros(t *testing.T) {
	n := must(bayes.New([]bayes.Variable{{"h", []string{"0", "1"}}, {"x", []string{"0", "1"}}}, []bayes.Family{
		{Children: []int{0}, Table: []float64{.5, .5}}, {Children: []int{1}, Parents: []int{0}, Table: []float64{1, 0, .4, .6}}}))
	nan := math.NaN()
	data := bayes.Data{Rows: []bayes.Row{{nan, 0}, {nan, 1}, {nan, 1}}}
	for _, test := range []struct {
		law  em.Law
		zero bool
	}{{em.Multinomial{}, true}, {em.Dirichlet{Alpha: 1.5}, false}, {bayes.Ridge{Beta: .1}, false}} {
		m := must(bayes.NewModel(n, bayes.SameLaw(test.law)))
		r, err := m.Fit(ctx, data, nil)
		if err != nil {
			t.Errorf("%T: %v", test.law, err)
			continue
		}
		if p := must(m.Network()).Family(1).Table[1]; (p == 0) != test.zero {
			t.Errorf("%T: P(x = 1 | h = 0) = %v", test.law, p)
		}
		if last := r.Last(); math.IsNaN(last) || r.Status != em.Converged {
			t.Errorf("%T: %v with %v", test.law, r.Status, r.Objective)
		}
	}
	data.Rows = append(data.Rows, bayes.Row{0, 1})
	m := must(bayes.NewModel(n, nil))
	if _, err := m.Fit(ctx, data, nil); !errors.Is(err, em.ErrUnderivable) || !strings.Contains(err.Error(), "row 3") {
		t.Errorf("an impossible row: %v", err)
	}
	data.Underivable = em.Skip
	if r, err := m.Fit(ctx, data, nil); err != nil || len(r.Skipped) != 1 || r.Skipped[0].Name != "row 3" {
		t.Errorf("an impossible row, skipped: %v", err)
	}
}

// Two hundred hidden variables in a chain cost no more than two hundred small tables;
// a clique of forty is refused before the memory is gone.
func TestManyHidden(t *testing.T) {
	const length = 200
	variables, families := make([]bayes.Variable, 2*length), make([]bayes.Family, 2*length)
	for i := range length {
		variables[2*i] = bayes.Variable{Name: "h" + string(rune(0x4e00+i)), States: []string{"0", "1", "2"}}
		variables[2*i+1] = bayes.Variable{Name: "x" + string(rune(0x4e00+i)), States: []string{"0", "1"}}
		families[2*i], families[2*i+1] = bayes.Family{Children: []int{2 * i}}, bayes.Family{Children: []int{2*i + 1}, Parents: []int{2 * i}}
		if i > 0 {
			families[2*i].Parents = []int{2*i - 2}
		}
	}
	n := must(bayes.New(variables, families))
	m := must(bayes.NewModel(n, nil))
	rng := graphtest.Rand(1)
	m.Theta = m.Params.Random(rng)
	truth := must(m.Network())
	var data bayes.Data
	for range 20 {
		r := truth.Sample(rng)
		for i := range length {
			r[2*i] = math.NaN()
		}
		data.Rows = append(data.Rows, r)
	}
	if r, err := m.Fit(ctx, data, &em.Options{Iterations: 5}); err != nil || r.LogLikelihood >= 0 {
		t.Errorf("a chain: %v", err)
	}
	var clique []bayes.Variable
	families = nil
	for i := range 40 {
		clique = append(clique, bayes.Variable{Name: "c" + string(rune(0x4e00+i)), States: []string{"0", "1"}})
		families = append(families, bayes.Family{Children: []int{i}})
	}
	for i := range 40 {
		for j := range i {
			clique = append(clique, bayes.Variable{Name: "x" + string(rune(0x4e00+len(clique))), States: []string{"0", "1"}})
			families = append(families, bayes.Family{Children: []int{len(clique) - 1}, Parents: []int{i, j}})
		}
	}
	n = must(bayes.New(clique, families))
	r := n.Unknown()
	if log, err := n.LogProb(r); err != nil || log != 0 {
		t.Errorf("ln P of a row without cells: %v, %v", log, err)
	}
	for v := 40; v < len(r); v++ {
		r[v] = 0
	}
	if _, err := n.LogProb(r); !errors.Is(err, bayes.ErrTreewidth) {
		t.Errorf("a clique: %v", err)
	}
}

// Viterbi EM from given labels against the fixed point of an independent implementation.
func TestViterbiFixedPoint(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "reference", "convex", "fixtures", "f9_viterbi_em.json"))
	if err != nil {
		t.Skip("no fixture: ", err)
	}
	var want struct {
		X         [][]float64
		H0        []float64       `json:"h0"`
		Final     []float64       `json:"h_final"`
		Objective float64         `json:"objective"`
		Tables    [][][]float64   `json:"log_tables"`
		Tol       float64         `json:"tol"`
		About     json.RawMessage `json:"about"`
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	n := naive(2, 3)
	m := must(bayes.NewModel(n, bayes.SameLaw(bayes.Ridge{Beta: 1})))
	var labelled []bayes.Row
	for i, x := range want.X {
		labelled = append(labelled, append(bayes.Row{want.H0[i]}, x...))
	}
	must(m.Fit(ctx, bayes.Data{Rows: labelled}, nil))
	r := must(m.Fit(ctx, bayes.Data{Rows: bayes.Hide(labelled, 0)}, &em.Options{EStep: em.Viterbi, Tolerance: 1e-12}))
	if got := -r.Last(); math.Abs(got-want.Objective) > want.Tol {
		t.Errorf("objective %v, want %v", got, want.Objective)
	}
	fit := must(m.Network())
	for v, table := range want.Tables {
		for c, row := range table {
			for x, l := range row {
				if got := math.Log(fit.Family(v).Table[c*len(row)+x]); math.Abs(got-l) > want.Tol {
					t.Errorf("ln P(variable %d = %d | %d) = %v, want %v", v, x, c, got, l)
				}
			}
		}
	}
	for i, r := range bayes.Hide(labelled, 0) {
		full, _, err := fit.Best(r)
		if err != nil || full[0] != want.Final[i] {
			t.Errorf("row %d is explained by %v (%v), want %v", i, full[0], err, want.Final[i])
		}
	}
}
