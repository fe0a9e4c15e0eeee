package rows

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// compressed returns the topology of n states and a list of arcs.
func compressed(n int, arcs [][2]int) *Topology {
	out := make([][]int32, n)
	for _, a := range arcs {
		out[a[0]] = append(out[a[0]], int32(a[1]))
	}
	t := &Topology{Row: []int32{0}}
	for _, next := range out {
		t.To = append(t.To, next...)
		t.Row = append(t.Row, int32(len(t.To)))
	}
	return t
}

func TestComponents(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		n := 1 + r.IntN(30)
		var arcs [][2]int
		reach := make([][]bool, n)
		for s := range reach {
			reach[s] = make([]bool, n)
		}
		for range r.IntN(3 * n) {
			a := [2]int{r.IntN(n), r.IntN(n)}
			arcs = append(arcs, a)
			reach[a[0]][a[1]] = true
		}
		for k := range n { // Warshall
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		c := compressed(n, arcs).Components()
		number := make([]int, n)
		cyclic := false
		for i := range c.Len() {
			lo, hi := c.Bounds(i)
			for p := lo; p < hi; p++ {
				s := c.State(p)
				number[s] = i
				cyclic = cyclic || reach[s][s]
				if c.Cyclic() && c.Loop[i] != reach[s][s] {
					t.Errorf("seed %d: component %d contains a cycle: %v", seed, i, c.Loop[i])
				}
			}
		}
		if c.Cyclic() != cyclic {
			t.Errorf("seed %d: cyclic %v", seed, c.Cyclic())
		}
		for s := range n {
			for q := range n {
				if same := s == q || reach[s][q] && reach[q][s]; same != (number[s] == number[q]) {
					t.Errorf("seed %d: states %d and %d together: %v", seed, s, q, !same)
				}
				if reach[s][q] && number[s] > number[q] {
					t.Errorf("seed %d: component %d before %d", seed, number[q], number[s])
				}
			}
		}
	}
}

func TestTranspose(t *testing.T) {
	in := compressed(3, [][2]int{{0, 2}, {0, 1}, {0, 2}, {2, 2}, {1, 0}}).In()
	if !slices.Equal(in.Row, []int32{0, 1, 2, 5}) || !slices.Equal(in.Other, []int32{1, 0, 0, 0, 2}) ||
		!slices.Equal(in.Arc, []int32{3, 1, 0, 2, 4}) {
		t.Errorf("%v %v %v", in.Row, in.Other, in.Arc)
	}
}

func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	key := make([]int, 50)
	var q Queue[int]
	q.Init(len(key), func(a, b Entry[int]) bool {
		return a.Key < b.Key || a.Key == b.Key && a.Item < b.Item
	})
	for range 200 {
		in := map[int32]bool{}
		for range r.IntN(80) {
			i := r.Int32N(int32(len(key)))
			key[i] = r.IntN(100)
			q.Push(i, key[i])
			in[i] = true
		}
		last := -1
		for !q.Empty() {
			e := q.Pop()
			i := e.Item
			if !in[i] || key[i] < last || e.Key != key[i] {
				t.Fatalf("%d with key %d after %d", i, key[i], last)
			}
			last = key[i]
			delete(in, i)
		}
		if len(in) > 0 {
			t.Fatalf("%v were lost", in)
		}
	}
}

func TestReachable(t *testing.T) {
	g := compressed(5, [][2]int{{0, 1}, {1, 0}, {1, 2}, {3, 3}, {2, 4}})
	free := func(blocked int32) func(int32) bool { return func(arc int32) bool { return arc != blocked } }
	if got := Reachable(g.Out(), []int32{0, 0}, free(-1)); !slices.Equal(got, []bool{true, true, true, false, true}) {
		t.Errorf("from state 0: %v", got)
	}
	if got := Reachable(g.Out(), []int32{0}, free(2)); !slices.Equal(got, []bool{true, true, false, false, false}) {
		t.Errorf("from state 0 without the arc to state 2: %v", got)
	}
	if got := Reachable(g.In(), []int32{4, 3}, free(-1)); !slices.Equal(got, []bool{true, true, true, true, true}) {
		t.Errorf("to states 3 and 4: %v", got)
	}
	if got := Reachable(g.In(), nil, free(-1)); slices.Contains(got, true) {
		t.Errorf("to no state: %v", got)
	}
}

func TestSorted(t *testing.T) {
	key := []int{3, 1, 2, 1}
	compare := func(i, j int32) int { return cmp.Or(cmp.Compare(key[i], key[j]), cmp.Compare(i, j)) }
	order := Sorted(nil, len(key), compare)
	if !slices.Equal(order, []int32{1, 3, 2, 0}) {
		t.Errorf("%v", order)
	}
	if again := Sorted(order, 2, compare); &again[0] != &order[0] || !slices.Equal(again, []int32{1, 0}) {
		t.Errorf("%v in other storage", again)
	}
	if got := Picked(key, []int32{2, 0}); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("%v", got)
	}
	if got := Filled(2, 7); !slices.Equal(got, []int{7, 7}) {
		t.Errorf("%v", got)
	}
}

// The first n equal the first n after sorting, including ties.
func TestSelectBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		score := make([]float64, r.IntN(40))
		states := make([]int32, len(score))
		for i := range score {
			score[i], states[i] = float64(r.IntN(1+r.IntN(40))), int32(i)
		}
		want := slices.Clone(states)
		slices.SortFunc(want, func(x, y int32) int { return cmp.Or(cmp.Compare(score[y], score[x]), cmp.Compare(x, y)) })
		r.Shuffle(len(states), func(i, j int) { states[i], states[j] = states[j], states[i] })
		n := r.IntN(len(states) + 1)
		selectBest(states, score, n)
		slices.Sort(states[:n])
		slices.Sort(want[:n])
		if !slices.Equal(states[:n], want[:n]) {
			t.Fatalf("%d of %v: %v, want %v", n, score, states[:n], want[:n])
		}
	}
}
