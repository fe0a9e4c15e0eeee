package keytable

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkTable numbers keys, each of which occurs four times, and finds them: in a table and
// in Go's map, both reused.
func BenchmarkTable(b *testing.B) {
	for _, n := range []uint64{100, 10_000, 1_000_000} {
		r := rand.New(rand.NewPCG(n, 0))
		keys := make([]uint64, 4*n)
		for i := range keys {
			keys[i] = Pair(int32(r.Uint64N(n/50)), int32(r.Uint64N(50)))
		}
		perKey := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(keys)), "ns/key")
		}
		b.Run(fmt.Sprintf("number/%d/table", n), func(b *testing.B) {
			var x Table[uint64]
			for b.Loop() {
				numberAll(&x, keys)
			}
			perKey(b)
		})
		b.Run(fmt.Sprintf("number/%d/map", n), func(b *testing.B) {
			x, list := map[uint64]int32{}, []uint64{}
			for b.Loop() {
				list = enterAll(x, list[:0], keys)
			}
			perKey(b)
		})
		b.Run(fmt.Sprintf("find/%d/table", n), func(b *testing.B) {
			var x Table[uint64]
			numberAll(&x, keys)
			for b.Loop() {
				findAll(&x, keys)
			}
			perKey(b)
		})
		b.Run(fmt.Sprintf("find/%d/map", n), func(b *testing.B) {
			x := map[uint64]int32{}
			enterAll(x, nil, keys)
			for b.Loop() {
				lookUpAll(x, keys)
			}
			perKey(b)
		})
	}
}

func numberAll(x *Table[uint64], keys []uint64) {
	x.Reset()
	for _, key := range keys {
		x.Number(key)
	}
}

func enterAll(x map[uint64]int32, list, keys []uint64) []uint64 {
	clear(x)
	for _, key := range keys {
		if _, ok := x[key]; !ok {
			x[key] = int32(len(list))
			list = append(list, key)
		}
	}
	return list
}

func findAll(x *Table[uint64], keys []uint64) (sum int32) {
	for _, key := range keys {
		sum += x.Find(key)
	}
	return sum
}

func lookUpAll(x map[uint64]int32, keys []uint64) (sum int32) {
	for _, key := range keys {
		sum += x[key]
	}
	return sum
}
