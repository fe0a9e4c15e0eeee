package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// compressed builds compressed rows from a list of arcs.
func compressed(n int, arcs [][2]int) (row, to []int32) {
	out := make([][]int32, n)
	for _, a := range arcs {
		out[a[0]] = append(out[a[0]], int32(a[1]))
	}
	row = append(row, 0)
	for _, next := range out {
		to = append(to, next...)
		row = append(row, int32(len(to)))
	}
	return row, to
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
		row, to := compressed(n, arcs)
		c := findComponents(row, to)
		number := make([]int, n)
		cyclic := false
		for i := range c.len() {
			lo, hi := c.bounds(i)
			for p := lo; p < hi; p++ {
				s := c.state(p)
				number[s] = i
				cyclic = cyclic || reach[s][s]
				if c.cyclic() && c.loop[i] != reach[s][s] {
					t.Errorf("seed %d: component %d contains a cycle: %v", seed, i, c.loop[i])
				}
			}
		}
		if c.cyclic() != cyclic {
			t.Errorf("seed %d: cyclic %v", seed, c.cyclic())
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
	row, to := compressed(3, [][2]int{{0, 2}, {0, 1}, {0, 2}, {2, 2}, {1, 0}})
	in := transposed(row, to)
	if !slices.Equal(in.row, []int32{0, 1, 2, 5}) || !slices.Equal(in.other, []int32{1, 0, 0, 0, 2}) ||
		!slices.Equal(in.arc, []int32{3, 1, 0, 2, 4}) {
		t.Errorf("%v %v %v", in.row, in.other, in.arc)
	}
}

func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	key := make([]int, 50)
	var q queue[int]
	q.init(len(key), func(a, b entry[int]) bool {
		return a.key < b.key || a.key == b.key && a.item < b.item
	})
	for range 200 {
		in := map[int32]bool{}
		for range r.IntN(80) {
			i := r.Int32N(int32(len(key)))
			key[i] = r.IntN(100)
			q.push(i, key[i])
			in[i] = true
		}
		last := -1
		for !q.empty() {
			e := q.pop()
			i := e.item
			if !in[i] || key[i] < last || e.key != key[i] {
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
