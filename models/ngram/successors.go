package ngram

// Successor is a symbol that was seen after a context or after a suffix of it, with what
// Step returns for it.
type Successor struct {
	Symbol, Next int32
	LogProb      float64
}

// AppendSuccessors appends to dst the symbols of lo … hi−1 that were seen after the
// context or after a suffix of it, the empty one included, each once, and what Step
// returns for them: first those after the longest context. Among them are all symbols
// of which something is known. It takes O(n log V) and O(n) for each symbol, where a
// Step would take the logarithm of V for each: to go on with many symbols at once, of
// consecutive numbers, is what it is for. lo must be at least 1; End is no symbol.
func (m *Model) AppendSuccessors(dst []Successor, context, lo, hi int32) []Successor {
	var storage [16]span
	longer := storage[:0] // what was seen after longer contexts
	logp := 0.0
	for k := context; ; k = m.back[k] {
		s := m.between(k, lo, hi)
		for i := s.lo; i < s.hi; i++ {
			if w := m.symbol[i]; !m.among(longer, w) {
				dst = append(dst, Successor{w, m.next[i], logp + m.logp[i]})
			}
		}
		if k == 0 {
			return dst
		}
		if s.lo < s.hi {
			longer = append(longer, s)
		}
		logp += m.backoff[k]
	}
}

// span is a range of n-grams of one context.
type span struct{ lo, hi int32 }

// between returns the n-grams that are a context and a symbol of lo … hi−1.
func (m *Model) between(context, lo, hi int32) span {
	first := m.search(m.first[context], m.first[context+1], lo)
	return span{first, m.search(first, m.first[context+1], hi)}
}

// search returns the first of the n-grams i … j−1, which are of one context, whose last
// symbol is not less than a symbol.
func (m *Model) search(i, j, symbol int32) int32 {
	for i < j {
		if mid := int32(uint32(i+j) >> 1); m.symbol[mid] < symbol {
			i = mid + 1
		} else {
			j = mid
		}
	}
	return i
}

// among reports whether a symbol is the last one of an n-gram in some of the spans.
func (m *Model) among(spans []span, symbol int32) bool {
	for _, s := range spans {
		if i := m.search(s.lo, s.hi, symbol); i < s.hi && m.symbol[i] == symbol {
			return true
		}
	}
	return false
}
