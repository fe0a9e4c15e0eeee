package fst

import (
	"cmp"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/semiring"
)

func TestSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		sorted := make([]int32, r.IntN(60))
		values := 1 + r.Int32N(6) // few, so that runs are long
		for i := range sorted {
			sorted[i] = 2 * r.Int32N(values)
		}
		slices.Sort(sorted)
		lo := int32(r.IntN(len(sorted) + 1))
		hi := lo + int32(r.IntN(len(sorted)+1-int(lo)))
		for x := int32(-1); x <= 2*values; x++ {
			from, _ := slices.BinarySearch(sorted[lo:hi], x)
			to, _ := slices.BinarySearch(sorted[lo:hi], x+1)
			want := span{lo + int32(from), lo + int32(to)}
			if got := search(sorted, x, span{lo, hi}); got != want {
				t.Fatalf("%d in %v[%d:%d] is at %v, want %v", x, sorted, lo, hi, got, want)
			}
		}
	}
	top := []int32{math.MaxInt32, math.MaxInt32}
	if got := search(top, math.MaxInt32, span{0, 2}); got != (span{0, 2}) {
		t.Errorf("the greatest label is at %v", got)
	}
}

// randomLabels returns the labels of a random machine, with few or many different labels, so
// that every kind of index and of sorting is covered.
func randomLabels(r *rand.Rand) *labels {
	l := &labels{row: []int32{0}}
	kinds := func() int32 { return []int32{2, 5, 40, 1 << 30}[r.IntN(4)] }
	ins, outs := kinds(), kinds()
	for range 1 + r.IntN(5) {
		for range r.IntN(40) {
			l.in = append(l.in, r.Int32N(ins))
			l.out = append(l.out, r.Int32N(outs))
		}
		l.row = append(l.row, int32(len(l.in)))
	}
	return l
}

func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tables, pairTables, sorted := 0, 0, 0
	var reused labels
	for range 2000 {
		l := randomLabels(r)
		if r.IntN(2) == 0 {
			reused.reset(l.row, l.in, l.out)
			l = &reused
		}
		if r.IntN(4) == 0 {
			slices.Sort(l.in)
			clear(l.out)
		}
		for _, side := range []struct {
			x          *index
			key, other []int32
		}{{l.index(Input), l.in, l.out}, {l.index(Output), l.out, l.in}} {
			x := side.x
			switch {
			case len(x.first) > 0 && x.width > 1:
				pairTables++
			case len(x.first) > 0:
				tables++
			}
			if len(x.arc) == 0 {
				sorted++
			}
			for range 40 {
				checkFind(t, r, x, side.key, side.other)
			}
		}
	}
	if min(tables, pairTables, sorted) < 50 {
		t.Errorf("%d tables of keys, %d of pairs, %d machines in order: want more of each", tables, pairTables, sorted)
	}
}

// checkFind compares the arcs of a random query, sorted by other label and number, with the
// result of a linear search.
func checkFind(t *testing.T, r *rand.Rand, x *index, key, other []int32) {
	t.Helper()
	s := int32(r.IntN(len(x.row) - 1))
	k, o := r.Int32N(6), r.Int32N(6)
	if n := len(key); n > 0 && r.IntN(3) > 0 {
		k, o = key[r.IntN(n)], other[r.IntN(n)]
	}
	if r.IntN(2) == 0 {
		o = anyLabel
	}
	var want []int32
	for e := x.row[s]; e < x.row[s+1]; e++ {
		if key[e] == k && (o == anyLabel || other[e] == o) {
			want = append(want, e)
		}
	}
	slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(other[a], other[b]) })
	var got []int32
	at := x.find(s, k, o)
	for e := at.lo; e < at.hi; e++ {
		if len(x.arc) > 0 {
			got = append(got, x.arc[e])
		} else {
			got = append(got, e)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("state %d, labels %d and %d: arcs %v, want %v", s, k, o, got, want)
	}
}

func TestPairTable(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var table pairTable
	hashed, completed := 0, 0
	for range 300 {
		na, nb := 1+r.IntN(100), 1+r.IntN(100)
		spread := 1
		if r.IntN(2) == 0 { // few of many
			spread = 1 << r.IntN(23)
		}
		boundA, boundB := int64(na*spread), int64(nb*spread)
		if r.IntN(3) == 0 {
			boundA = manyStates
		}
		if r.IntN(3) == 0 {
			boundB = manyStates
		}
		table.reset(boundA, boundB)
		numbers := map[[2]int]int32{}
		once := false
		for range r.IntN(2000) {
			a, b := r.IntN(na)*spread, r.IntN(nb)*spread
			got := table.at(int32(a), int64(b))
			if got < 0 {
				got = table.number(int32(a), int64(b))
			}
			want, ok := numbers[[2]int{a, b}]
			if !ok {
				want = int32(len(numbers))
				numbers[[2]int{a, b}] = want
			}
			if got != want {
				t.Fatalf("(%d, %d) has number %d, want %d", a, b, got, want)
			}
			once = once || table.hashed()
		}
		for p, n := range numbers {
			if a, b := table.pair(n); int(a) != p[0] || int(b) != p[1] {
				t.Fatalf("pair %d is (%d, %d), want %v", n, a, b, p)
			}
		}
		switch {
		case table.hashed():
			hashed++
		case once:
			completed++
		}
	}
	if hashed < 50 || hashed > 250 {
		t.Errorf("%d of 300 tables were hashed", hashed)
	}
	if completed < 20 {
		t.Errorf("%d of 300 tables were hashed before they were direct", completed)
	}
}

// Strings with the same hash get different numbers.
func TestByteTableClash(t *testing.T) {
	x := newByteTable()
	a, _ := x.number([]byte("a"))
	x.hashes.Number(maphash.Bytes(x.seed, []byte("b")))
	x.first = append(x.first, a) // as if a had b's hash
	for want := int32(1); want < 3; want++ {
		for _, isNew := range []bool{true, false} {
			key := []byte{'a' + byte(want)}
			if n, fresh := x.number(key); n != want || fresh != isNew {
				t.Errorf("%s has number %d, %v, want %d, %v", key, n, fresh, want, isNew)
			}
		}
	}
	if n, fresh := x.number([]byte("a")); n != a || fresh {
		t.Errorf("a has number %d, %v", n, fresh)
	}
}

// In x ∘ channel ∘ y, only those of the many arcs of x ∘ channel or channel ∘ y are created
// that match the other string.
func TestComposeMakesFewArcs(t *testing.T) {
	const letters, length = 300, 6
	ring := semiring.Real{}
	b := NewBuilder(ring)
	b.AddStates(1)
	b.AddStart(0, 1)
	b.SetFinal(0, 1)
	for in := range int32(letters) {
		for out := range int32(letters) {
			if in+out > 0 {
				b.AddArc(0, Arc[float64]{In: in, Out: out, Weight: .5})
			}
		}
	}
	channel, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	x := FromString(ring, []int32{5, 17, 200, 17, 42, 1})
	y := FromString(ring, []int32{3, 99, 99, 250, 7, 8})
	left := Compose(x, channel)
	right := Compose(channel, y)
	for _, test := range []struct {
		inner *Composition[float64]
		a, b  Machine[float64]
	}{{left, left, y}, {right, x, right}} {
		c := Compose(test.a, test.b)
		f, err := Expand(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := 3*length*length + 2*length; f.NumArcs() != want {
			t.Errorf("%d arcs, want %d", f.NumArcs(), want)
		}
		if made := len(test.inner.made); made > 2*(length+1)*(length+1) {
			t.Errorf("%d arcs were made within, want at most 2 for each state and label", made)
		}
	}
}
