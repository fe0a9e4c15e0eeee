package keytable

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
)

// family returns key number i of a family of keys, i < 2¹⁶.
type family func(i uint64) uint64

// spread are keys for which the hash is designed.
var spread = map[string]family{
	"consecutive":      func(i uint64) uint64 { return i },
	"downward":         func(i uint64) uint64 { return -i },
	"multiples of 2³²": func(i uint64) uint64 { return i << 32 },
	"multiples of 2⁴⁸": func(i uint64) uint64 { return i << 48 },
	"rows of 100":      func(i uint64) uint64 { return Pair(int32(i/100), int32(i%100)) },
	"columns of 100":   func(i uint64) uint64 { return Pair(int32(i%100), int32(i/100)) },
	"random":           func(i uint64) uint64 { return rand.New(rand.NewPCG(i, 0)).Uint64() },
}

// inverse times factor is 1 modulo 2⁶⁴: the search for its small multiples begins in slot 0.
const inverse = 0x385D5718A39F122D

// crowded are keys chosen to collide in the first or the last slot.
var crowded = map[string]family{
	"first slot":     func(i uint64) uint64 { return i * inverse },
	"last slot":      func(i uint64) uint64 { return -i * inverse },
	"either of them": func(i uint64) uint64 { return (i - 1<<15) * inverse },
}

// A table is equivalent to a map and a list, for any keys.
func TestTable(t *testing.T) {
	for _, families := range []map[string]family{spread, crowded} {
		for name, f := range families {
			t.Run(name, func(t *testing.T) {
				for seed := range trials.Seeds(20) {
					r := rand.New(rand.NewPCG(seed, 1))
					testTable(t, r, f)
					testTable(t, r, func(i uint64) int32 { return int32(f(i) >> (seed % 33)) })
				}
			})
		}
	}
}

func testTable[K Key](t *testing.T, r *rand.Rand, key func(i uint64) K) {
	var x Table[K]
	for range 6 { // from reset to reset
		want, keys := map[K]int32{}, []K(nil)
		listed := false // and not found yet
		first, bound := r.Uint64N(1<<16-1<<11), uint64(1)<<r.IntN(12)
		lists := r.IntN(3)
		for range r.IntN(1500) {
			k := key(first + r.Uint64N(bound))
			n, met := want[k]
			if !met {
				n = int32(len(keys))
			}
			var got int32
			fresh := !met
			switch op := r.IntN(4); {
			case !met && op < lists:
				got, listed = x.List(k), true
			case op > 0 || listed:
				got, fresh = x.Number(k)
				listed = false
			case met:
				got = x.Find(k)
			default:
				if got := x.Find(k); got != -1 {
					t.Fatalf("key %#x has number %d, want none", k, got)
				}
				continue
			}
			if got != n || fresh == met {
				t.Fatalf("key %#x has number %d, fresh %v; want %d, %v", k, got, fresh, n, !met)
			}
			if !met {
				want[k] = n
				keys = append(keys, k)
			}
		}
		if !slices.Equal(x.Keys(), keys) {
			t.Fatalf("keys %#x, want %#x", x.Keys(), keys)
		}
		x.Reset()
		if len(x.Keys()) > 0 || len(keys) > 0 && x.Find(keys[0]) != -1 {
			t.Fatalf("keys %#x after a reset, and key %#x has number %d", x.Keys(), keys[0], x.Find(keys[0]))
		}
	}
}

// A table of the same size as before allocates no memory, and a table that was larger is
// cleared for the number of keys of the last use.
func TestReuse(t *testing.T) {
	for _, n := range []int32{1, 31, 32, 33, 1000, 1024} {
		var x Table[int32]
		fill := func() {
			for key := range n {
				x.Number(-key)
			}
			x.Reset()
		}
		fill()
		if allocs := testing.AllocsPerRun(10, fill); allocs > 0 {
			t.Errorf("%d keys again: %v allocations", n, allocs)
		}
		x.Number(0)
		if most := max(minSlots, 4*int(n)); len(x.slots) > most {
			t.Errorf("after %d keys: %d slots, want %d at most", n, len(x.slots), most)
		}
		x.Reset()
		x.Number(0)
		if len(x.slots) != minSlots {
			t.Errorf("after one key: %d slots, want %d", len(x.slots), minSlots)
		}
	}
}

// Keys for which the hash is designed are as close to the start of their search as random keys:
// half a slot in the mean.
func TestSpread(t *testing.T) {
	far := func(f family, n uint64) float64 {
		var x Table[uint64]
		for i := range n {
			x.Number(f(i))
		}
		sum, mask := 0, len(x.slots)-1
		for i, n := range x.slots {
			if n > 0 {
				sum += (i - x.slot(x.keys[n-1])) & mask
			}
		}
		return float64(sum) / float64(len(x.keys))
	}
	for name, f := range spread {
		for n := uint64(32); n <= 1<<16; n *= 2 { // half full
			if d := far(f, n); d > .8 {
				t.Errorf("%s: %d keys are %.2f slots off in the mean", name, n, d)
			}
		}
	}
	for name, f := range crowded {
		if d := far(f, 1024); d < 100 {
			t.Errorf("%s: %d keys are %.2f slots off in the mean, which is no test", name, 1024, d)
		}
	}
}

func TestPair(t *testing.T) {
	seen := map[uint64]bool{}
	values := []int32{0, 1, 2, -1, -2, math.MaxInt32, math.MinInt32}
	for _, a := range values {
		for _, b := range values {
			key := Pair(a, b)
			if x, y := Unpair(key); x != a || y != b || seen[key] {
				t.Errorf("(%d, %d) has the key %#x of (%d, %d)", a, b, key, x, y)
			}
			seen[key] = true
		}
	}
}
