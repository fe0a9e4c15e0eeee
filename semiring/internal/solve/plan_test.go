package solve

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// compressed returns the topology of n states and a list of arcs.
func compressed(n int, arcs [][2]int) *rows.Topology {
	out := make([][]int32, n)
	for _, a := range arcs {
		out[a[0]] = append(out[a[0]], int32(a[1]))
	}
	t := &rows.Topology{Row: []int32{0}}
	for _, next := range out {
		t.To = append(t.To, next...)
		t.Row = append(t.Row, int32(len(t.To)))
	}
	return t
}

// Elimination is linear on cycles, hubs, trees with arcs both ways, nested loops and
// narrow bands, and within the budget.
func TestFillIsLinear(t *testing.T) {
	n := trials.Serial(100_000)
	r := rand.New(rand.NewPCG(1, 2))
	shapes := map[string][][2]int{}
	for s := range n {
		up := r.IntN(s + 1)
		shapes["cycle"] = append(shapes["cycle"], [2]int{s, (s + 1) % n})
		shapes["hub"] = append(shapes["hub"], [2]int{0, s}, [2]int{s, 0})
		shapes["two hubs"] = append(shapes["two hubs"], [2]int{0, s}, [2]int{s, 1}, [2]int{s, 0}, [2]int{1, s})
		shapes["tree"] = append(shapes["tree"], [2]int{up, s}, [2]int{s, up})
		// A program: every state goes on, some fork ahead, some loop back to
		// the head of a loop that contains them.
		shapes["nested loops"] = append(shapes["nested loops"], [2]int{s, (s + 1) % n})
		shapes["band"] = append(shapes["band"], [2]int{s, (s + 1) % n}, [2]int{s, max(0, s-r.IntN(4))})
		if size := s & -s; size > 4 && s >= size {
			shapes["nested loops"] = append(shapes["nested loops"], [2]int{s, s - size + 1})
		}
	}
	for name, arcs := range shapes {
		pl, err := newPlan(compressed(n, arcs), budgets[0], maxFill, uninterrupted)
		if err != nil {
			t.Fatal(err)
		}
		if fill := len(pl.lower.col) + len(pl.upper.col); fill > 2*len(arcs)+2*n || pl.open != nil {
			t.Errorf("%s: %d entries for %d arcs, components left open: %v", name, fill, len(arcs), pl.open != nil)
		}
	}
}

// A component that fills up is left open or refused. The others are planned, and so is this one
// if its entries are allowed.
func TestFillLimit(t *testing.T) {
	const n, cycle, limit = 1500, 100, 1 << 18
	r := rand.New(rand.NewPCG(1, 2))
	var arcs [][2]int
	for s := range n {
		arcs = append(arcs, [2]int{s, (s + 1) % n})
		for range 4 {
			arcs = append(arcs, [2]int{s, r.IntN(n)})
		}
	}
	for s := range cycle {
		arcs = append(arcs, [2]int{n + s, n + (s+1)%cycle})
	}
	arcs = append(arcs, [2]int{0, n})
	topology := compressed(n+cycle, arcs)
	c := topology.Components()
	if _, err := newPlan(topology, budgets[stages-1], limit, uninterrupted); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want semiring.ErrLimit", err)
	}
	if pl, err := newPlan(topology, budgets[stages-1], maxFill, uninterrupted); err != nil || pl.open != nil {
		t.Errorf("more entries are allowed: error %v, components left open: %v", err, pl != nil && pl.open != nil)
	}
	pl, err := newPlan(topology, budgets[0], limit, uninterrupted)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Len() {
		lo, hi := c.Bounds(i)
		entries := pl.upper.row[hi] - pl.upper.row[lo] + pl.lower.row[hi] - pl.lower.row[lo]
		if pl.open[lo] != (hi-lo == n) || pl.open[lo] != (entries == 0) {
			t.Errorf("component of %d states: open %v with %d entries", hi-lo, pl.open[lo], entries)
		}
	}
}

// The plan of a random graph has an entry for every pair of states that elimination
// in its order connects, which is checked by elimination on a full matrix.
func TestPlanCoversFill(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.IntN(40)
		var arcs [][2]int
		arcs = append(arcs, [2]int{0, 0})
		for range r.IntN(5 * n) {
			arcs = append(arcs, [2]int{r.IntN(n), r.IntN(n)})
		}
		topology := compressed(n, arcs)
		c := topology.Components()
		pl, err := newPlan(topology, budgets[stages-1], maxFill, uninterrupted)
		if err != nil {
			t.Fatal(err)
		}
		full := make([][]bool, n)
		for s := range full {
			full[s] = make([]bool, n)
		}
		for i := range c.Len() {
			lo, hi := c.Bounds(i)
			block := pl.order[lo:hi]
			for _, a := range arcs {
				if slices.Contains(block, int32(a[0])) && slices.Contains(block, int32(a[1])) {
					full[a[0]][a[1]] = true
				}
			}
			for k, s := range block {
				for _, p := range block[k+1:] {
					for _, q := range block[k+1:] {
						full[p][q] = full[p][q] || full[p][s] && full[s][q]
					}
				}
			}
			checkPattern(t, pl, lo, hi, full)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkPattern(t *testing.T, pl *plan, lo, hi int, full [][]bool) {
	t.Helper()
	for p := lo; p < hi; p++ {
		s := pl.order[p]
		lower := pl.lower.col[pl.lower.row[p]:pl.lower.row[p+1]]
		upper := pl.upper.col[pl.upper.row[p]:pl.upper.row[p+1]]
		last := int32(-1)
		for _, q := range lower {
			if pl.position[q] <= last || int(pl.position[q]) >= p {
				t.Errorf("lower row of %d is not in order: %v", s, lower)
			}
			last = pl.position[q]
		}
		for r := lo; r < hi; r++ {
			q := pl.order[r]
			if full[s][q] && r < p && !slices.Contains(lower, q) || full[s][q] && r > p && !slices.Contains(upper, q) {
				t.Errorf("no entry for %d → %d", s, q)
			}
		}
	}
}

func uninterrupted() error { return nil }
