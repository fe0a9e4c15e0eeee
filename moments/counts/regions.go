package counts

import (
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// regions are the linear system Σ_a times(i, a)·w(a, b) = count(i, b), of which only the
// equations of labels that were counted count. Matrices are dense, by rows, apart from
// times.
type regions struct {
	row    []int32 // the first entry of each region, and their number
	symbol []int32
	times  []float64
	count  []float64 // regions × labels
	asked  []float64 // regions × labels: 1 for equations, 0 elsewhere
	width  []float64 // per symbol: Σ_i times(i, a)·positions of region i
	square []float64 // per symbol: Σ_i times(i, a)²
}

func (d *Data) newRegions() regions {
	n := len(d.annotations)
	r := regions{row: []int32{0}, count: make([]float64, n*d.labels), asked: make([]float64, n*d.labels), width: make([]float64, d.symbols), square: make([]float64, d.symbols)}
	var region []int
	for i := range d.annotations {
		a := &d.annotations[i]
		region = append(region[:0], d.region(a)...)
		slices.Sort(region)
		for k, s := range region {
			if k == 0 || s != region[k-1] {
				r.symbol, r.times = append(r.symbol, int32(s)), append(r.times, 0)
			}
			r.times[len(r.times)-1]++
			r.width[s] += float64(len(region))
		}
		for e := r.row[i]; int(e) < len(r.symbol); e++ {
			r.square[r.symbol[e]] += r.times[e] * r.times[e]
		}
		r.row = append(r.row, int32(len(r.symbol)))
		for k, b := range a.Labels {
			r.count[i*d.labels+b], r.asked[i*d.labels+b] = float64(a.Counts[k]), 1
		}
	}
	return r
}

// Unseen returns the symbols that occur in no region, of which nothing can be learnt.
func (d *Data) Unseen() []int {
	var unseen []int
	for a, w := range d.width {
		if w == 0 {
			unseen = append(unseen, a)
		}
	}
	return unseen
}

// normal sets g to Mᵀ·M·w over the equations of each label from lo to hi, M being times. g
// and w have a column for each of these labels and a row per symbol, of which one begins
// stride after the other.
func (d *Data) normal(g, w []float64, stride, lo, hi int) {
	n := hi - lo
	for a := range d.symbols {
		clear(g[a*stride:][:n])
	}
	r := make([]float64, n)
	for i := range d.annotations {
		clear(r)
		for e := d.row[i]; e < d.row[i+1]; e++ {
			floats.AddScaled(r, d.times[e], w[int(d.symbol[e])*stride:][:n])
		}
		for b, x := range d.asked[i*d.labels:][lo:hi] {
			r[b] *= x
		}
		for e := d.row[i]; e < d.row[i+1]; e++ {
			floats.AddScaled(g[int(d.symbol[e])*stride:][:n], d.times[e], r)
		}
	}
}

// target returns Mᵀ·count.
func (d *Data) target() []float64 {
	h := make([]float64, d.symbols*d.labels)
	for i := range d.annotations {
		for e := d.row[i]; e < d.row[i+1]; e++ {
			floats.AddScaled(h[int(d.symbol[e])*d.labels:][:d.labels], d.times[e], d.count[i*d.labels:][:d.labels])
		}
	}
	return h
}

// blocks calls f for ranges of labels, at the same time. Labels have nothing to do with
// each other, so that the bits do not depend on the ranges.
func (d *Data) blocks(f func(lo, hi int)) {
	n := min(runtime.GOMAXPROCS(0), d.labels)
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() { f(k*d.labels/n, (k+1)*d.labels/n) })
	}
	wg.Wait()
}
