package ngram

import (
	"maps"
	"slices"
)

// counter counts what follows each context.
type counter struct {
	order          int
	first, shorter []int32
	counts         map[pair]float64
	longer         map[pair]int32
}

func newCounter(order int) *counter {
	return &counter{
		order: order, first: []int32{begin}, shorter: []int32{0},
		counts: map[pair]float64{}, longer: map[pair]int32{},
	}
}

// add counts each symbol and the end after each of its contexts.
func (c *counter) add(symbols []int32, weight float64) {
	for i := range len(symbols) + 1 {
		w := int32(End)
		if i < len(symbols) {
			w = symbols[i]
		}
		k := int32(0)
		c.counts[pair{k, w}] += weight
		for j := i - 1; j >= -1 && i-j < c.order; j-- {
			s := int32(begin)
			if j >= 0 {
				s = symbols[j]
			}
			k = c.extend(k, s)
			c.counts[pair{k, w}] += weight
		}
	}
}

// extend returns the context that is symbol s followed by context k.
func (c *counter) extend(k, s int32) int32 {
	next, ok := c.longer[pair{k, s}]
	if !ok {
		next = int32(len(c.first))
		c.first, c.shorter = append(c.first, s), append(c.shorter, k)
		c.longer[pair{k, s}] = next
	}
	return next
}

// prune removes the contexts that were seen less often than least. Whatever is
// shorter was seen as often or more, so what remains of a context remains whole.
func (c *counter) prune(least float64) {
	total := make([]float64, len(c.first))
	for _, g := range slices.SortedFunc(maps.Keys(c.counts), comparePairs) {
		total[g.context] += c.counts[g]
	}
	number := make([]int32, len(c.first)) // −1: removed
	n := int32(0)
	for k := range number {
		number[k] = -1
		if k == 0 || total[k] >= least && number[c.shorter[k]] >= 0 {
			number[k] = n
			c.first[n], c.shorter[n] = c.first[k], number[c.shorter[k]]
			n++
		}
	}
	if int(n) == len(number) {
		return
	}
	c.first, c.shorter = c.first[:n], c.shorter[:n]
	counts, longer := map[pair]float64{}, map[pair]int32{}
	for g, count := range c.counts {
		if k := number[g.context]; k >= 0 {
			counts[pair{k, g.symbol}] = count
		}
	}
	for g, l := range c.longer {
		if k, to := number[g.context], number[l]; to >= 0 {
			longer[pair{k, g.symbol}] = to
		}
	}
	c.counts, c.longer = counts, longer
}

// freeze returns the model. Nothing in it depends on the order of a map.
func (c *counter) freeze(vocabulary int32) *Model {
	n := len(c.first)
	m := &Model{
		order: c.order, vocabulary: vocabulary,
		first: slices.Clip(c.first), shorter: slices.Clip(c.shorter), share: make([]float64, n),
	}
	extensions := slices.SortedFunc(maps.Keys(c.longer), comparePairs)
	m.extRow = offsets(extensions, n)
	m.extensions, m.longer = make([]int32, len(extensions)), make([]int32, len(extensions))
	for i, e := range extensions {
		m.extensions[i], m.longer[i] = e.symbol, c.longer[e]
	}
	grams := slices.SortedFunc(maps.Keys(c.counts), comparePairs)
	m.row = offsets(grams, n)
	m.successors, m.probability = make([]int32, len(grams)), make([]float64, len(grams))
	for i, g := range grams {
		m.successors[i], m.probability[i] = g.symbol, c.counts[g]
	}
	for k := range n {
		m.smooth(int32(k))
	}
	return m
}

// smooth turns the counts at context k into probabilities, which those at the
// shorter context already are.
func (m *Model) smooth(k int32) {
	lo, hi := m.row[k], m.row[k+1]
	total, types := 0.0, float64(hi-lo)
	for _, c := range m.probability[lo:hi] {
		total += c
	}
	m.share[k] = types / (total + types)
	for i := lo; i < hi; i++ {
		lower := m.uniform()
		if k > 0 {
			lower = m.prob(m.shorter[k], m.successors[i])
		}
		m.probability[i] = (m.probability[i] + types*lower) / (total + types)
	}
}

// offsets returns where the pairs of each of n contexts begin among the sorted
// pairs.
func offsets(sorted []pair, n int) []int32 {
	row := make([]int32, n+1)
	for _, p := range sorted {
		row[p.context+1]++
	}
	for k := range n {
		row[k+1] += row[k]
	}
	return row
}
