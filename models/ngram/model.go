package ngram

import (
	"iter"
	"math"
	"slices"
	"sort"

	"example.org/pathsum/internal/nested"
)

// Model is an n-gram model, frozen and safe for concurrent use. It takes 16 bytes for
// each n-gram and 16 more for each that is shorter than the order.
type Model struct {
	order      int
	vocabulary int32
	unseen     float64 // log probability of a symbol that is not a unigram of the model

	// n-grams are numbered by length, context and last symbol; 0 is the empty one.
	// Length m has the numbers level[m] … level[m+1], context k and a symbol the numbers
	// first[k] … first[k+1]. The n-grams below len(backoff), shorter than the order, may be
	// contexts.
	level  []int32
	first  []int32
	symbol []int32 // the last symbol: begin, End or 1 … V
	logp   []float64
	// backoff[k] is the logarithm of the factor of the probabilities after the shorter context, for
	// symbols not seen after k.
	backoff []float64

	back []int32 // the longest context that is a proper suffix of this one
	next []int32 // the longest context that is a suffix of this n-gram

	remarks []string
}

// Order returns n.
func (m *Model) Order() int { return m.order }

// Vocabulary returns V: the symbols are 1 … V.
func (m *Model) Vocabulary() int32 { return m.vocabulary }

// Remarks returns a sentence for each kind of line that ReadARPA ignored in the file. It is nil if
// there are no such lines, and for a model from Fit, Counter.Model or Load.
func (m *Model) Remarks() []string { return slices.Clone(m.remarks) }

// NumGrams returns the number of n-grams of a length of 1 to Order.
func (m *Model) NumGrams(length int) int {
	if length < 1 || length+1 >= len(m.level) {
		return 0
	}
	return int(m.level[length+1] - m.level[length])
}

// isContext reports whether the predictions after an n-gram may differ from the predictions after
// its suffix.
func (m *Model) isContext(k int32) bool {
	return k == 0 || int(k) < len(m.backoff) && (m.first[k] < m.first[k+1] || m.backoff[k] != 0)
}

// Start returns the context at the beginning of a string.
func (m *Model) Start() int32 {
	if len(m.symbol) > 1 && m.symbol[1] == begin && m.isContext(1) {
		return 1
	}
	return 0
}

// Step returns the context after a symbol of 1 … V in a context, and the log probability of the
// symbol there, in nats. For End the context is meaningless. Contexts are numbers returned by Start
// and Step. The log probability of a symbol out of range is −Inf. O(n log V), without allocation.
func (m *Model) Step(context, symbol int32) (next int32, logp float64) {
	if uint32(symbol) > uint32(m.vocabulary) {
		return 0, math.Inf(-1)
	}
	for k := context; ; k = m.back[k] {
		if i := m.find(k, symbol); i > 0 {
			return m.next[i], logp + m.logp[i]
		}
		if k == 0 {
			return 0, logp + m.unseen
		}
		logp += m.backoff[k]
	}
}

// find returns the n-gram consisting of a context and a symbol, 0 if the model does not have it.
func (m *Model) find(context, symbol int32) int32 {
	end := m.first[context+1]
	if i := m.search(m.first[context], end, symbol); i < end && m.symbol[i] == symbol {
		return i
	}
	return 0
}

// context returns the context after all symbols read since the beginning of a string.
func (m *Model) context(history []int32) int32 {
	k := m.Start()
	if n := len(history) - (m.order - 1); n >= 0 {
		k, history = 0, history[n:]
	}
	for _, s := range history {
		k, _ = m.Step(k, s)
	}
	return k
}

// Prob returns p(symbol | history) for a symbol of 1 … V or End, where history contains all symbols
// since the beginning of the string. A symbol out of range has probability 0; in the history, it
// hides the symbols before it. O(n² log V).
func (m *Model) Prob(history []int32, symbol int32) float64 {
	_, logp := m.Step(m.context(history), symbol)
	return math.Exp(logp)
}

// LogProb returns the log probability, in nats, of the string: of its symbols and its end. It is
// −Inf if a symbol is out of range. With StupidBackoff it is the logarithm of a product of scores.
// O(n log V) for each symbol.
func (m *Model) LogProb(symbols []int32) float64 {
	sum, k := 0.0, m.Start()
	for _, s := range symbols {
		if s == End {
			return math.Inf(-1)
		}
		var logp float64
		k, logp = m.Step(k, s)
		sum += logp
	}
	_, logp := m.Step(k, End)
	return sum + logp
}

// Perplexity returns exp of minus the mean log probability of a symbol, ends included, in strings
// with weights. It is NaN if the total weight is 0.
func (m *Model) Perplexity(data iter.Seq2[[]int32, float64]) float64 {
	sum, n := 0.0, 0.0
	for symbols, weight := range data {
		if weight != 0 {
			sum += weight * m.LogProb(symbols)
			n += weight * float64(len(symbols)+1)
		}
	}
	return math.Exp(-sum / n)
}

// Validate asserts that all numbers are probabilities and that Σ_w p(w|h) is within tolerance of 1
// at every context h. A tolerance of 0 allows for rounding, and trained models pass; the accuracy
// of a model read from text is limited by its digits. A valid model can be saved. Validate takes a
// few steps for each n-gram. The error wraps ErrInvalid and names the context. A model of
// StupidBackoff is never valid.
func (m *Model) Validate(tolerance float64) error {
	if err := m.check(); err != nil {
		return nested.Errorf("ngram: %w: %w", ErrInvalid, err)
	}
	if tolerance == 0 {
		tolerance = 1e-12
	}
	for i, logp := range m.logp {
		if i > 0 && !(logp <= tolerance) {
			return nested.Errorf("ngram: %w: n-gram %v has the log probability %g", ErrInvalid, m.symbols(int32(i)), logp)
		}
	}
	for k := range int32(len(m.backoff)) {
		if !m.isContext(k) {
			continue
		}
		sum, shorter, n := 0.0, 0.0, 0
		for i := m.first[k]; i < m.first[k+1]; i++ {
			if w := m.symbol[i]; w != begin {
				n++
				sum += math.Exp(m.logp[i])
				if k > 0 {
					_, logp := m.Step(m.back[k], w)
					shorter += math.Exp(logp)
				}
			}
		}
		if k > 0 {
			sum += math.Exp(m.backoff[k]) * (1 - shorter)
		} else {
			sum += (float64(m.vocabulary) + 1 - float64(n)) * math.Exp(m.unseen)
		}
		if !(math.Abs(sum-1) <= tolerance*(1+float64(n))) {
			return nested.Errorf("ngram: %w: the probabilities after %v sum to %g", ErrInvalid, m.symbols(k), sum)
		}
	}
	return nil
}

// Successor is a symbol that was seen after a context or after a suffix of it, with the results of
// Step.
type Successor struct {
	Symbol, Next int32
	LogProb      float64
}

// AppendSuccessors appends to dst the symbols of lo … hi−1 that were seen after the context or
// after a suffix of it, the empty one included, each once and with the results of Step. Longer
// contexts come first. Symbols more than margin nats less probable than the best, in dst or
// appended, are left out; a margin of +Inf keeps all. Use it for many consecutive symbols: it takes
// O(n log V) once, O(1) for each symbol left out and O(n) for each symbol kept, whereas each Step
// takes O(n log V). lo must be at least 1; End is not a symbol here.
func (m *Model) AppendSuccessors(dst []Successor, context, lo, hi int32, margin float64) []Successor {
	var storage, copies [16]span
	longer := storage[:0] // the spans of longer contexts
	before, least := len(dst), math.Inf(-1)
	for _, s := range dst {
		least = max(least, s.LogProb-margin)
	}
	logp := 0.0
	for k := context; ; k = m.back[k] {
		s := m.between(k, lo, hi)
		symbols := m.symbol[s.lo:s.hi]
		ahead := append(copies[:0], longer...)
		for i, p := range m.logp[s.lo:s.hi] {
			// The best so far only rises: most symbols to be left out are left out here.
			if p += logp; p < least {
				continue
			}
			if w := symbols[i]; !m.pass(ahead, w) {
				dst = append(dst, Successor{w, m.next[s.lo+int32(i)], p})
				least = max(least, p-margin)
			}
		}
		if k == 0 {
			break
		}
		if s.lo < s.hi {
			longer = append(longer, s)
		}
		logp += m.backoff[k]
	}
	kept := before
	for _, s := range dst[before:] {
		if !(s.LogProb < least) {
			dst[kept] = s
			kept++
		}
	}
	return dst[:kept]
}

// span is a range of n-grams of one context.
type span struct{ lo, hi int32 }

// between returns the n-grams consisting of a context and a symbol of lo … hi−1.
func (m *Model) between(context, lo, hi int32) span {
	first, end := m.search(m.first[context], m.first[context+1], lo), m.first[context+1]
	// Most ranges are short, so the steps of the search for hi grow from its beginning.
	last := first
	for step := int32(1); last < end && m.symbol[last] < hi; step *= 2 {
		if end-last <= step || m.symbol[last+step] >= hi {
			return span{first, m.search(last, min(end, last+step), hi)}
		}
		last += step
	}
	return span{first, last}
}

// search returns the first of the n-grams i … j−1, which have the same context, whose last symbol
// is at least symbol.
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

// pass advances the spans to a symbol and reports whether one of them contains it.
func (m *Model) pass(spans []span, symbol int32) bool {
	found := false
	for n := range spans {
		s := &spans[n]
		for s.lo < s.hi && m.symbol[s.lo] < symbol {
			s.lo++
		}
		found = found || s.lo < s.hi && m.symbol[s.lo] == symbol
	}
	return found
}

// retain reduces the model to these n-grams and the empty one, in place, and links it. The context
// of a kept n-gram must be kept.
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
	if len(level) == 2 { // only the empty n-gram is left
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

// link computes back and next from the other fields.
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

// symbols returns the symbols of an n-gram, first to last, with −1 for the mark of the beginning.
func (m *Model) symbols(i int32) []int32 {
	var s []int32
	for i > 0 {
		s = append(s, m.symbol[i])
		i = int32(sort.Search(len(m.backoff), func(k int) bool { return m.first[k+1] > i }))
	}
	slices.Reverse(s)
	return s
}
