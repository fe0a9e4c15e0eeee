package ngram

import (
	"slices"
	"sort"
)

// retain reduces the model to these n-grams and the empty one, in place, and links it.
// The contexts of those that are kept must be kept.
func (m *Model) retain(keep []bool) {
	level, n := []int32{0, 1}, int32(1)
	for length := 1; length+1 < len(m.level); length++ {
		before := n
		for _, k := range keep[m.level[length]:m.level[length+1]] {
			if k {
				n++
			}
		}
		if n > before {
			level = append(level, n)
		}
	}
	if len(level) == 2 { // nothing is left
		level = append(level, n)
	}
	contexts := numContexts(m.order, level)
	j, children, end := int32(0), m.first[0], m.first[0]
	for i := range m.symbol {
		lo, hi := children, children
		if i < len(m.backoff) {
			hi = m.first[i+1]
			children = hi
		}
		if i > 0 && !keep[i] {
			continue
		}
		m.symbol[j], m.logp[j] = m.symbol[i], m.logp[i]
		if j < contexts {
			m.backoff[j] = m.backoff[i]
			for _, k := range keep[lo:hi] {
				if k {
					end++
				}
			}
			m.first[j+1] = end
		}
		j++
	}
	m.level, m.first, m.backoff = level, m.first[:contexts+1], m.backoff[:contexts]
	m.symbol, m.logp = m.symbol[:n], m.logp[:n]
	m.link()
}

// link sets back and next, which follow from the rest.
func (m *Model) link() {
	m.back, m.next = make([]int32, len(m.backoff)), make([]int32, len(m.symbol))
	k := int32(0) // the context of n-gram i
	for i := int32(1); int(i) < len(m.symbol); i++ {
		for i >= m.first[k+1] {
			k++
		}
		suffix := int32(0)
		for h := k; h > 0 && suffix == 0; {
			h = m.back[h]
			suffix = m.find(h, m.symbol[i])
		}
		if m.next[i] = m.next[suffix]; m.isContext(i) {
			m.next[i] = i
		}
		if int(i) < len(m.back) {
			m.back[i] = m.next[suffix]
		}
	}
}

// symbols returns an n-gram, first to last, the mark of the beginning as −1.
func (m *Model) symbols(i int32) []int32 {
	var s []int32
	for i > 0 {
		s = append(s, m.symbol[i])
		i = int32(sort.Search(len(m.backoff), func(k int) bool { return m.first[k+1] > i }))
	}
	slices.Reverse(s)
	return s
}
