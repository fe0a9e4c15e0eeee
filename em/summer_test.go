package em_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// draws are examples that use some of the parameters, as often as uses gives. An example has the
// weight and the name of its index; its sum is ln, −Inf for an example without a derivation.
type draws struct {
	params   *em.Params
	cut      em.Cut
	weight   []float64
	ln       []float64
	uses     [][]float64
	fails    int    // the example whose sum is an error, or −1
	stops    int    // the example whose sum cancels, or −1
	cancel   func() // called by stops
	summed   int    // the number of sums
	drainErr error
}

var errBoom = errors.New("boom")

func randomDraws(rng *rand.Rand) *draws {
	d := &draws{params: em.NewParams(), fails: -1, stops: -1}
	d.params.Group("g", 4, em.Multinomial{})
	for range 1 + rng.IntN(150) {
		d.weight = append(d.weight, float64(rng.IntN(3)))
		d.ln = append(d.ln, float64(-rng.IntN(9)))
		if rng.IntN(6) == 0 {
			d.ln[len(d.ln)-1] = math.Inf(-1)
		}
		d.uses = append(d.uses, []float64{float64(rng.IntN(3)), float64(rng.IntN(3)), 0, 1})
	}
	d.cut = em.NewCut(len(d.ln))
	if rng.IntN(2) == 0 {
		ends := []int{rng.IntN(len(d.ln) + 1), rng.IntN(len(d.ln) + 1), len(d.ln)}
		slices.Sort(ends)
		d.cut = em.NewCutAt(ends)
	}
	return d
}

func (d *draws) name(i int) string { return fmt.Sprint("draw ", i) }

// add adds example i to counts.
func (d *draws) add(i int, weight float64, count func(k int, x float64)) (float64, error) {
	d.summed++
	switch i {
	case d.fails:
		return 0, errBoom
	case d.stops:
		d.cancel()
	}
	if !math.IsInf(d.ln[i], -1) {
		for k, x := range d.uses[i] {
			count(k, weight*x)
		}
	}
	return d.ln[i], nil
}

// parity is a Summer of the even or of the odd examples from first on.
type parity struct {
	*draws
	all          *em.Accumulator
	first, n, by int
}

func (p parity) Len() int { return p.n }

func (p parity) Weight(n int) (int, float64) {
	if i := p.first + n; i%2 == p.by {
		return i, p.weight[i]
	}
	return p.first + n, 0
}

func (p parity) Sum(n int, weight float64, _ *em.Tally) (float64, error) {
	return p.add(p.first+n, weight, func(k int, x float64) { p.all.Add(int32(k), x) })
}

func (p parity) Example(n int) em.Skipped {
	i := p.first + n
	return em.Skipped{Index: i, Name: p.name(i), Weight: p.weight[i]}
}

func (p parity) Drain(t *em.Tally) error {
	p.all.Drain(t)
	return p.drainErr
}

// forms returns the same likelihood in all forms: by Sum into zeros; by Sum, Open and Drain; by two
// Summers for each shard.
func (d *draws) forms() map[string]em.Excluder {
	own := em.Sharded[em.Query, em.Accumulator]{Package: "draws", Params: d.params, Underivable: em.Skip,
		Fingerprint: func(w io.Writer) { fmt.Fprint(w, d) }, Cut: d.cut,
		Weight: func(i int) float64 { return d.weight[i] }, Name: d.name,
		Sum: func(_ *em.Accumulator, _ em.Query, i int, weight float64, t *em.Tally) (float64, error) {
			return d.add(i, weight, func(k int, x float64) { t.Counts[k] += x })
		}}
	drained := own
	drained.Open = func(_ context.Context, a *em.Accumulator, _ em.Query, _ int, _ *em.Tally) error {
		a.Grow(4, false)
		return nil
	}
	drained.Sum = func(a *em.Accumulator, _ em.Query, i int, weight float64, _ *em.Tally) (float64, error) {
		return d.add(i, weight, func(k int, x float64) { a.Add(int32(k), x) })
	}
	drained.Drain = func(a *em.Accumulator, _ em.Query, _ int, t *em.Tally) error {
		a.Drain(t)
		return d.drainErr
	}
	two := own
	two.Sum, two.Shards = nil, d.cut.Shards()
	two.Visit = func(_ context.Context, a *em.Accumulator, _ em.Query, shard int, t *em.Tally) ([]em.Summer, error) {
		lo, hi := d.cut.Shard(shard)
		t.Examples = hi - lo
		a.Grow(4, false)
		return []em.Summer{parity{d, a, lo, hi - lo, 1}, parity{d, a, lo, hi - lo, 0}}, nil
	}
	return map[string]em.Excluder{"zeros": own.Likelihood().(em.Excluder), "drained": drained.Likelihood().(em.Excluder), "two": two.Excluder()}
}

// want returns the expected result of an E step without some examples.
func (d *draws) want(without []em.Skipped) *em.Expectations {
	e := &em.Expectations{Counts: make([]float64, 4), Examples: len(d.ln)}
	for i, w := range d.weight {
		if w == 0 || slices.ContainsFunc(without, func(x em.Skipped) bool { return x.Index == i }) {
			continue
		}
		if math.IsInf(d.ln[i], -1) {
			e.Skipped = append(e.Skipped, em.Skipped{Index: i, Name: d.name(i), Weight: w})
			continue
		}
		e.LogLikelihood += w * d.ln[i]
		for k, x := range d.uses[i] {
			e.Counts[k] += w * x
		}
	}
	return e
}

// TestSummer: examples of weight 0 and excluded examples are not summed over, and examples without
// a derivation are skipped in order, in all forms of a Sharded. Sums are whole numbers.
func TestSummer(t *testing.T) {
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		d := randomDraws(rng)
		var without []em.Skipped
		for i := range d.ln {
			if rng.IntN(4) == 0 {
				without = append(without, em.Skipped{Index: i})
			}
		}
		q := em.Query{Theta: d.params.Start(), Workers: 1}
		for name, l := range d.forms() {
			for _, left := range [][]em.Skipped{nil, without} {
				want := d.want(left)
				got, err := l.ExpectWithout(t.Context(), q, left)
				if err != nil || got.LogLikelihood != want.LogLikelihood || got.Examples != want.Examples ||
					!slices.Equal(got.Counts, want.Counts) || !slices.Equal(got.Skipped, want.Skipped) {
					t.Fatalf("seed %d, %s: %+v, error %v, want %+v", seed, name, got, err, want)
				}
			}
		}
	}
}

// TestSummerFails: an error contains the name of its example, a done context ends a shard between
// two examples, and the counts of a failed E step do not leak into the next one.
func TestSummerFails(t *testing.T) {
	for seed := range trials.Seeds(200) {
		d := randomDraws(rand.New(rand.NewPCG(seed, 6)))
		at := slices.IndexFunc(d.weight, func(w float64) bool { return w > 0 })
		if at < 0 {
			continue
		}
		q := em.Query{Theta: d.params.Start(), Workers: 1}
		for name, l := range d.forms() {
			d.fails = at
			_, err := l.Expect(t.Context(), q)
			wantIs(t, err, errBoom)
			if want := fmt.Sprintf("draws: example %d (draw %d): boom", at, at); err == nil || err.Error() != want {
				t.Errorf("seed %d, %s: error %v, want %s", seed, name, err, want)
			}
			d.fails = -1

			ctx, cancel := context.WithCancel(t.Context())
			d.stops, d.cancel, d.summed = at, cancel, 0
			before := 1 // sums until the context is done
			if name == "two" && at%2 == 0 {
				lo, hi := d.shardOf(at)
				for i := lo; i < hi; i++ {
					if i%2 == 1 && d.weight[i] > 0 {
						before++
					}
				}
			}
			if _, err = l.Expect(ctx, q); d.summed != before || err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("seed %d, %s: %d sums, error %v, want %d", seed, name, d.summed, err, before)
			}
			d.stops = -1

			if d.drainErr = errBoom; name != "zeros" {
				_, err = l.Expect(t.Context(), q)
				wantIs(t, err, errBoom)
			}
			d.drainErr = nil
			if got, err := l.Expect(t.Context(), q); err != nil || !slices.Equal(got.Counts, d.want(nil).Counts) {
				t.Errorf("seed %d, %s: %+v, error %v, want counts %v", seed, name, got, err, d.want(nil).Counts)
			}
		}
	}
}

// shardOf returns the examples of the shard that contains example i.
func (d *draws) shardOf(i int) (lo, hi int) {
	for shard := range d.cut.Shards() {
		if lo, hi = d.cut.Shard(shard); lo <= i && i < hi {
			break
		}
	}
	return lo, hi
}

// TestShardedMisfits: a Sharded of neither form, or of both, panics, and so do a Sum without a Cut
// and ends that descend.
func TestShardedMisfits(t *testing.T) {
	whole := spread(func(int, *em.Tally) {})
	neither, both, uncut := whole, whole, whole
	neither.Visit = nil
	both.Cut = em.NewCut(3)
	both.Sum = func(*struct{}, em.Query, int, float64, *em.Tally) (float64, error) { return 0, nil }
	uncut.Sum, uncut.Visit = both.Sum, nil
	for want, call := range map[string]func(){
		"em: Sharded: want one of Sum and Visit":                          func() { neither.Likelihood() },
		"em: Sharded: want one of Sum and Visit ":                         func() { both.Excluder() },
		"em: Sharded: Sum without a Cut":                                  func() { uncut.Likelihood() },
		"em: NewCutAt: shards that end at [2 1], want an ascending order": func() { em.NewCutAt([]int{2, 1}) },
	} {
		func() {
			defer func() {
				if got := recover(); got != strings.TrimSpace(want) {
					t.Errorf("panic %v, want %s", got, want)
				}
			}()
			call()
		}()
	}
	if n := em.NewCutAt(nil).Shards(); n != 0 {
		t.Errorf("%d shards that end nowhere", n)
	}
}
