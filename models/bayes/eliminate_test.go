package bayes_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/models/bayes"
)

// table is a function of the states of some variables, the last changing fastest.
type table struct {
	variables []int
	value     []float64
}

// eliminator is variable elimination as textbooks have it, on arrays: an oracle, and what
// to compare times with.
type eliminator struct {
	n    *bayes.Network
	size []int
}

func newEliminator(n *bayes.Network) *eliminator {
	e := &eliminator{n: n}
	for _, v := range n.Variables() {
		e.size = append(e.size, len(v.States))
	}
	return e
}

// walk calls visit with every assignment to variables and its number.
func (e *eliminator) walk(variables []int, state []int, visit func(i int)) {
	total := 1
	for _, v := range variables {
		state[v] = 0
		total *= e.size[v]
	}
	for i := range total {
		visit(i)
		for k := len(variables) - 1; k >= 0; k-- {
			v := variables[k]
			if state[v]++; state[v] < e.size[v] {
				break
			}
			state[v] = 0
		}
	}
}

// at returns the entry for an assignment.
func (e *eliminator) at(t table, state []int) float64 {
	i := 0
	for _, v := range t.variables {
		i = i*e.size[v] + state[v]
	}
	return t.value[i]
}

// sum returns the sum over v of the product of the tables.
func (e *eliminator) sum(v int, tables []table, state []int) table {
	var t table
	for _, u := range tables {
		for _, w := range u.variables {
			if w != v && !slices.Contains(t.variables, w) {
				t.variables = append(t.variables, w)
			}
		}
	}
	e.walk(t.variables, state, func(int) {
		sum := 0.
		for x := range e.size[v] {
			state[v] = x
			p := 1.
			for _, u := range tables {
				p *= e.at(u, state)
			}
			sum += p
		}
		t.value = append(t.value, sum)
	})
	return t
}

// likelihood returns P(r), eliminating in each step the variable whose table is smallest.
func (e *eliminator) likelihood(r bayes.Row) float64 {
	state := make([]int, len(r))
	var tables []table
	for v := range r {
		f := e.n.Family(v)
		all := table{append(slices.Clone(f.Parents), v), f.Table}
		var t table
		for _, u := range all.variables {
			if r[u] != r[u] {
				t.variables = append(t.variables, u)
			}
		}
		for _, u := range all.variables {
			if r[u] == r[u] {
				state[u] = int(r[u])
			}
		}
		e.walk(t.variables, state, func(int) { t.value = append(t.value, e.at(all, state)) })
		tables = append(tables, t)
	}
	for {
		best, least := -1, math.Inf(1)
		for v := range r {
			if r[v] == r[v] {
				continue
			}
			entries, any := 1., false
			var seen []int
			for _, t := range tables {
				if slices.Contains(t.variables, v) {
					any = true
					for _, u := range t.variables {
						if !slices.Contains(seen, u) {
							seen = append(seen, u)
							entries *= float64(e.size[u])
						}
					}
				}
			}
			if any && entries < least {
				best, least = v, entries
			}
		}
		if best < 0 {
			break
		}
		var of, rest []table
		for _, t := range tables {
			if slices.Contains(t.variables, best) {
				of = append(of, t)
			} else {
				rest = append(rest, t)
			}
		}
		tables = append(rest, e.sum(best, of, state))
	}
	p := 1.
	for _, t := range tables {
		p *= t.value[0]
	}
	return p
}

// The whole of alarm against elimination by hand: likelihoods, and posteriors as ratios of
// them.
func TestAlarmWhole(t *testing.T) {
	n := shared(t, "alarm.bif.gz")
	e := newEliminator(n)
	rng := graphtest.Rand(1)
	for range 10 {
		r := hide(rng, n, n.Sample(rng))
		total := e.likelihood(r)
		p := must(n.Posteriors(r))
		if !near(p.LogProb, math.Log(total)) {
			t.Errorf("ln P = %v, want %v", p.LogProb, math.Log(total))
		}
		for v := range r {
			if r[v] == r[v] {
				continue
			}
			for x, q := range p.States(v) {
				known := slices.Clone(r)
				known[v] = float64(x)
				if want := e.likelihood(known) / total; !near(q, want) {
					t.Errorf("P(%s = %d) = %v, want %v", n.Variables()[v].Name, x, q, want)
				}
			}
		}
	}
}

// bruteForce is the sum over all assignments to the missing discrete cells of a row.
type bruteForce struct {
	total  float64
	states [][]float64 // unnormalized posteriors, by variable
	best   float64
}

// probability returns P of a row whose discrete cells are known; missing continuous
// families are left out.
func probability(n *bayes.Network, r bayes.Row) float64 {
	p := 1.
	for _, f := range n.Families() {
		c := 0
		for _, v := range f.Parents {
			c = c*len(n.Variables()[v].States) + int(r[v])
		}
		if f.Table != nil {
			v := f.Children[0]
			p *= f.Table[c*len(n.Variables()[v].States)+int(r[v])]
		} else if x := r[f.Children[0]]; x == x {
			p *= density(f.Normals[c], f, r)
		}
	}
	return p
}

// density is that of a normal distribution of one or two numbers, given one at most.
func density(d bayes.Normal, f bayes.Family, r bayes.Row) float64 {
	u := 0.
	slope := make([]float64, len(f.Children))
	if len(f.Regressors) > 0 {
		u, slope = r[f.Regressors[0]], d.Slope
	}
	x := r[f.Children[0]] - d.Mean[0] - slope[0]*u
	if len(f.Children) == 1 {
		return math.Exp(-x*x/2/d.Covariance[0]) / math.Sqrt(2*math.Pi*d.Covariance[0])
	}
	y := r[f.Children[1]] - d.Mean[1] - slope[1]*u
	a, b, c := d.Covariance[0], d.Covariance[1], d.Covariance[3]
	det := a*c - b*b
	return math.Exp(-(c*x*x-2*b*x*y+a*y*y)/2/det) / (2 * math.Pi * math.Sqrt(det))
}

func enumerate(n *bayes.Network, r bayes.Row) bruteForce {
	b := bruteForce{states: make([][]float64, n.Len())}
	for v := range b.states {
		b.states[v] = make([]float64, len(n.Variables()[v].States))
	}
	for full, p := range completions(n, r) {
		b.total += p
		b.best = max(b.best, p)
		for u := range b.states {
			if n.Discrete(u) {
				b.states[u][int(full[u])] += p
			}
		}
	}
	return b
}

// completions yields all assignments to the missing discrete cells of a row, in one slice, with
// their probabilities.
func completions(n *bayes.Network, r bayes.Row) iter.Seq2[bayes.Row, float64] {
	return func(yield func(bayes.Row, float64) bool) {
		full := slices.Clone(r)
		var fill func(v int) bool
		fill = func(v int) bool {
			if v == n.Len() {
				return yield(full, probability(n, full))
			}
			if !n.Discrete(v) || r[v] == r[v] {
				return fill(v + 1)
			}
			for x := range n.Variables()[v].States {
				if full[v] = float64(x); !fill(v + 1) {
					return false
				}
			}
			return true
		}
		fill(0)
	}
}

// random returns a network of at most six discrete variables, some of whose parents
// come later in the order of numbers, and with continuous of at most three continuous
// ones, two of which are correlated.
func random(r *rand.Rand, continuous bool) *bayes.Network {
	size := 1 + r.IntN(6)
	variables, families := make([]bayes.Variable, size), make([]bayes.Family, size)
	order := r.Perm(size)
	for i, v := range order {
		variables[v] = bayes.Variable{Name: fmt.Sprint("V", v), States: []string{"a", "b", "c"}[:1+r.IntN(3)]}
		families[i] = bayes.Family{Children: []int{v}, Parents: some(r, order[:i])}
	}
	if continuous {
		names := []string{"x", "y", "z"}
		for _, name := range names {
			variables = append(variables, bayes.Variable{Name: name})
		}
		families = append(families,
			bayes.Family{Children: []int{size}, Parents: some(r, order)},
			bayes.Family{Children: []int{size + 1, size + 2}, Parents: some(r, order), Regressors: append([]int(nil), []int{size}[:r.IntN(2)]...)})
	}
	r.Shuffle(len(families), func(i, j int) { families[i], families[j] = families[j], families[i] })
	for i := range families {
		fillIn(r, variables, &families[i])
	}
	n, err := bayes.New(variables, families)
	if err != nil {
		panic(err)
	}
	return n
}

// some returns at most three of the variables.
func some(r *rand.Rand, from []int) []int {
	var chosen []int
	for _, i := range r.Perm(len(from))[:r.IntN(min(3, len(from))+1)] {
		chosen = append(chosen, from[i])
	}
	return chosen
}

// fillIn draws the numbers of a family; some probabilities are 0.
func fillIn(r *rand.Rand, variables []bayes.Variable, f *bayes.Family) {
	configurations := 1
	for _, p := range f.Parents {
		configurations *= len(variables[p].States)
	}
	k := len(variables[f.Children[0]].States)
	for range configurations {
		switch {
		case k > 0:
			row, sum := make([]float64, k), 0.
			for x := range row {
				if row[x] = r.ExpFloat64(); x > 0 && r.IntN(8) == 0 {
					row[x] = 0
				}
				sum += row[x]
			}
			for x := range row {
				row[x] /= sum
			}
			f.Table = append(f.Table, row...)
		case len(f.Children) == 1:
			f.Normals = append(f.Normals, bayes.Normal{Mean: []float64{r.NormFloat64()}, Covariance: []float64{.2 + r.Float64()}})
		default:
			c := .1 * r.NormFloat64()
			d := bayes.Normal{Mean: []float64{r.NormFloat64(), r.NormFloat64()}, Covariance: []float64{1, c, c, .7}}
			for range 2 * len(f.Regressors) {
				d.Slope = append(d.Slope, r.NormFloat64())
			}
			f.Normals = append(f.Normals, d)
		}
	}
}

// hide returns r with random cells missing; correlated ones go together, and with those
// that they are regressed on.
func hide(rng *rand.Rand, n *bayes.Network, r bayes.Row) bayes.Row {
	h := append(bayes.Row(nil), r...)
	for _, f := range n.Families() {
		if rng.IntN(2) == 0 {
			for _, v := range f.Children {
				h[v] = math.NaN()
			}
		}
	}
	for _, f := range n.Families() {
		if len(f.Regressors) > 0 && math.IsNaN(h[f.Regressors[0]]) {
			for _, v := range f.Children {
				h[v] = math.NaN()
			}
		}
	}
	return h
}
