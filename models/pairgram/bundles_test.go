package pairgram

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
)

// firedByHand returns the hashes of the features of each arc that fire in at least support
// sources, sorted.
func firedByHand(shards []*evidence) [][][]uint64 {
	sources := map[uint64]int{}
	each := func(do func(shard, arc int, h []uint64), end func()) {
		for i, v := range shards {
			first := int32(0)
			for _, last := range v.ends {
				for n := first; n < last; n++ {
					var h [features]uint64
					v.arcs[n].hashes(&h, v.sources)
					do(i, int(n), h[:])
				}
				end()
				first = last
			}
		}
	}
	seen := map[uint64]bool{}
	each(func(_, _ int, h []uint64) {
		for _, x := range h {
			seen[x] = true
		}
	}, func() {
		for x := range seen {
			sources[x]++
		}
		clear(seen)
	})
	all := make([][][]uint64, len(shards))
	each(func(shard, _ int, h []uint64) {
		fired := slices.DeleteFunc(slices.Clone(h), func(x uint64) bool { return sources[x] < support })
		all[shard] = append(all[shard], slices.Sorted(slices.Values(fired)))
	}, func() {})
	return all
}

// TestBundles: on each arc the features fire that its context determines and that fire in enough
// sources; and sums and expected firings over bundles are those over arcs.
func TestBundles(t *testing.T) {
	frequents, rares := 0, 0
	for seed := range trials.Seeds(10) {
		rng := rand.New(rand.NewPCG(seed, 18))
		c := randomConditional(t, rng, seed)
		shards, o := []*evidence{{}, {}, {}}, new(outlooks)
		for i, q := range questions(randomPairs(rng, 12, 3)) {
			if err := shards[i%3].learn(t.Context(), o, c.predictor, &q, c.names, c.least); err != nil {
				t.Fatal(err)
			}
		}
		want := firedByHand(shards)
		for _, v := range shards {
			rares += features * len(v.arcs)
		}
		x := frequent(shards)
		known := map[uint64]bool{}
		theta := make([]float64, len(x.Keys()))
		for i := range theta {
			theta[i] = rng.NormFloat64()
		}
		collector := newCollector(len(theta))
		for i, v := range shards {
			collector.collect(v)
			strength := make([]float64, len(v.strengths))
			for n, k := range v.strengths {
				strength[n] = theta[k]
			}
			uses := make([]float64, len(want[i]))
			for n := range uses {
				uses[n] = rng.NormFloat64()
			}
			got, total := make([][]uint64, len(want[i])), make([]float64, len(want[i]))
			counts, firings := make([]float64, len(strength)), map[uint64]float64{}
			for chain := range v.bundles {
				b := &v.bundles[chain]
				sums := b.appendSums(nil, strength)
				b.addFirings(counts, uses, nil)
				for n, at := range b.last {
					total[n] += sums[at+1]
					for ; at >= 0; at = b.before[at] {
						for _, k := range b.fired[b.row[at]:b.row[at+1]] {
							got[n] = append(got[n], x.Keys()[v.strengths[k]])
						}
					}
				}
			}
			for n, fired := range want[i] {
				frequents, rares = frequents+len(fired), rares-len(fired)
				if slices.Sort(got[n]); !slices.Equal(got[n], fired) {
					t.Fatalf("seed %d: %d features fire on arc %d of shard %d, want %d", seed, len(got[n]), n, i, len(fired))
				}
				sum, size := 0.0, 0.0
				for _, hash := range fired {
					known[hash] = true
					firings[hash] += uses[n]
					sum, size = sum+theta[x.Find(hash)], size+math.Abs(theta[x.Find(hash)])
				}
				if math.Abs(total[n]-sum) > 1e-14*size {
					t.Fatalf("seed %d: arc %d of shard %d scores %g, want %g", seed, n, i, total[n], sum)
				}
			}
			for n, k := range v.strengths {
				if w := firings[x.Keys()[k]]; math.Abs(counts[n]-w) > 1e-12 {
					t.Fatalf("seed %d: strength %d of shard %d fires %g times, want %g", seed, n, i, counts[n], w)
				}
			}
		}
		if !maps.Equal(known, maps.Collect(func(yield func(uint64, bool) bool) {
			for _, hash := range x.Keys() {
				if !yield(hash, true) {
					return
				}
			}
		})) {
			t.Errorf("seed %d: the index has %d features, want %d", seed, len(x.Keys()), len(known))
		}
	}
	if frequents < 1000 || rares < 1000 {
		t.Errorf("%d features are frequent, %d rare", frequents, rares)
	}
}

// hashes sets the hashes of the features of a, link by link.
func (a *arc) hashes(h *[features]uint64, sources []int32) {
	all := h[:0]
	for chain := range chains {
		for link := range links {
			all = a.appendHashes(all, chain, link, sources)
		}
	}
}
