package align

import "math"

// cells are what the model of one direction sees of a sentence: I hidden words, one of
// which, or NULL, each of the J words seen comes from.
type cells struct {
	hidden, seen int
	emit         []float64 // J×I, seen word by seen word
	null         []float64 // J
	class        []int32   // I, of the hidden words; nil: one class
}

// links is what the model finds: posteriors of the same shape.
type links struct {
	emit, null []float64
	logP       float64
}

// emissions computes cells of sentences; it belongs to one goroutine.
type emissions struct {
	t     [2][]float64 // E×F, word of E by word of E
	cells [2]cells
}

// of gathers the probabilities of a sentence; those of words and pairs that are not in
// the lexicon are floor.
func (m *emissions) of(l *lexicon, floor float64, step EStep, slots, e, f []int32, class *[2][]int32) *[2]cells {
	for d := range m.t {
		m.t[d] = resized(m.t[d], len(slots))
	}
	t, u := m.t[ef][:len(slots)], m.t[fe][:len(slots)]
	for n, slot := range slots {
		if slot >= 0 {
			p := &l.t[slot]
			t[n], u[n] = p[ef], p[fe]
		} else {
			t[n], u[n] = floor, floor
		}
	}
	if step != Own {
		m.agree(step)
	}
	m.shape(ef, len(e), len(f), class[0])
	m.shape(fe, len(f), len(e), class[1])
	fill(m.cells[ef].null, l.null[ef], f, floor)
	fill(m.cells[fe].null, l.null[fe], e, floor)
	transpose(m.cells[ef].emit, m.t[ef], len(e), len(f))
	copy(m.cells[fe].emit, m.t[fe])
	return &m.cells
}

// agree multiplies the probabilities of both directions.
func (m *emissions) agree(step EStep) {
	t, u := m.t[ef], m.t[fe]
	if step == Joint {
		for n, p := range t {
			t[n] = p * u[n]
			u[n] = t[n]
		}
		return
	}
	power := step.Power
	if power == 0 {
		power = 1
	}
	for n, p := range t {
		q := u[n]
		t[n] = math.Pow(p*math.Pow(q, step.Partner), power)
		u[n] = math.Pow(q*math.Pow(p, step.Partner), power)
	}
}

func (m *emissions) shape(d, hidden, seen int, class []int32) {
	c := &m.cells[d]
	c.hidden, c.seen, c.class = hidden, seen, class
	c.emit, c.null = resized(c.emit, hidden*seen), resized(c.null, seen)
}

// fill sets dst to the probabilities of words given NULL.
func fill(dst, null []float64, words []int32, floor float64) {
	for j, w := range words {
		dst[j] = floor
		if w >= 0 {
			dst[j] = null[w]
		}
	}
}

// transpose sets dst to the transpose of the matrix src of rows × cols.
func transpose(dst, src []float64, rows, cols int) {
	for i := range rows {
		for j, x := range src[i*cols : (i+1)*cols] {
			dst[j*rows+i] = x
		}
	}
}

// resized returns a slice of length n, that of s if it is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
