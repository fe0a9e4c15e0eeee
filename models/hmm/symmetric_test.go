package hmm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
)

// TestSymmetry compares the search with all permutations, on matrices of few values of
// which a part is made symmetric on purpose.
func TestSymmetry(t *testing.T) {
	found := 0
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 28))
		n := 2 + rng.IntN(4)
		m := &transitions{n: n, cells: make([]float64, n*n), initial: make([]float64, n)}
		colors := make([]int, n)
		for i := range n {
			m.initial[i] = float64(rng.IntN(4) / 3)
			colors[i] = rng.IntN(5) / 4
			for j := range n {
				m.cells[i*n+j] = float64(rng.IntN(3))
			}
		}
		if rng.IntN(2) == 0 {
			plant(m, colors, rng.Perm(n))
		}
		if rng.IntN(2) == 0 {
			m.final = slices.Clone(m.initial)
		}
		want := false
		permutations(n, func(p []int) {
			moves := false
			for i := range n {
				moves = moves || p[i] != i
			}
			want = want || moves && respects(m, colors, p)
		})
		i, j, ok := m.symmetry(slices.Clone(colors))
		if ok != want {
			t.Fatalf("cells %v, initial %v, colors %v: found %v (%d, %d), but %v by permutations", m.cells, m.initial, colors, ok, i, j, want)
		}
		if !ok {
			continue
		}
		found++
		some := false
		permutations(n, func(p []int) { some = some || p[i] == j && respects(m, colors, p) })
		if !some {
			t.Fatalf("cells %v, initial %v, colors %v: no permutation maps %d to %d", m.cells, m.initial, colors, i, j)
		}
	}
	if found == 0 {
		t.Error("no symmetry in all trials")
	}
}

// plant makes p a symmetry: what it moves to one another gets the value of the first.
func plant(m *transitions, colors, p []int) {
	n := m.n
	for i := range n {
		for k := p[i]; k != i; k = p[k] {
			m.initial[k], colors[k] = m.initial[i], colors[i]
		}
		for j := range n {
			for a, b := p[i], p[j]; a != i || b != j; a, b = p[a], p[b] {
				m.cells[a*n+b] = m.cells[i*n+j]
			}
		}
	}
}

func respects(m *transitions, colors, p []int) bool {
	for i := range m.n {
		if colors[i] != colors[p[i]] || m.initial[i] != m.initial[p[i]] || len(m.final) > 0 && m.final[i] != m.final[p[i]] {
			return false
		}
		for j := range m.n {
			if m.at(i, j) != m.at(p[i], p[j]) {
				return false
			}
		}
	}
	return true
}

// permutations calls f for each permutation of 0, …, n − 1.
func permutations(n int, f func(p []int)) {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	var from func(i int)
	from = func(i int) {
		if i == n {
			f(p)
		}
		for j := i; j < n; j++ {
			p[i], p[j] = p[j], p[i]
			from(i + 1)
			p[i], p[j] = p[j], p[i]
		}
	}
	from(0)
}
