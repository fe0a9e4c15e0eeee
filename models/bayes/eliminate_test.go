package bayes_test

import (
	"math"
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
