package align

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// translations is the law of the translation probabilities of a lexicon in both directions, as one
// group. t(f|e) of a slot is parameter 2·slot, and t(e|f) the next, so that parameters used
// together are adjacent in memory. The probabilities of each word have a law of their own: in
// direction ef of each word of E, in direction fe of each word of F.
type translations struct {
	floored
	*lexicon
	numF  int
	floor float64
	prior *prior
	total [2][]float64 // per word of E, of F: links of the last M step of frequencies
}

func (t *translations) totals() [2][]float64 { return t.total }

// String describes the law; the pairs of the prior are part of a corpus's fingerprint.
func (t *translations) String() string {
	return fmt.Sprintf("translations: %T %+v, floor %g", t.prior.law, t.prior.law, t.floor)
}

// Start makes all words that occur with a word equally probable given that word.
func (t *translations) Start(theta []float64) {
	partners := t.partners(t.numF)
	for e := range t.row[1:] {
		lo, hi := t.row[e], t.row[e+1]
		for slot := lo; slot < hi; slot++ {
			theta[2*slot+ef] = 1 / float64(hi-lo)
			theta[2*slot+fe] = 1 / float64(partners[t.col[slot]])
		}
	}
}

// Random draws the probabilities word by word from the law of a word.
func (t *translations) Random(theta []float64, src rand.Source) {
	t.rows(theta, nil, func(r *rowOf) error {
		t.prior.law.Random(r.theta, src)
		t.scatter(theta, r)
		return nil
	})
}

// LogPrior returns the log prior of the laws of words and of Prior.Pair. It is 0 for a Valuer,
// whose parameters are no longer known. The pseudo-links of classes are left out, as they depend on
// the counts.
func (t *translations) LogPrior(theta []float64) float64 {
	sum := 0.0
	for slot, n := range t.prior.pair {
		if n > 0 {
			sum += n * math.Log(theta[2*slot+ef]*theta[2*slot+fe])
		}
	}
	switch t.prior.law.(type) {
	case em.Valuer, em.Multinomial:
		return sum
	}
	t.rows(theta, nil, func(r *rowOf) error {
		sum += t.prior.law.LogPrior(r.theta)
		return nil
	})
	return sum
}

// Maximize is the M step, word by word. Probabilities below the floor are raised to it.
func (t *translations) Maximize(theta, counts []float64) error {
	t.prior.expect(t.lexicon, counts)
	if _, plain := t.prior.law.(em.Multinomial); plain {
		return t.frequencies(theta, counts)
	}
	valuer, isValuer := t.prior.law.(em.Valuer)
	var values []weight
	return t.rows(theta, counts, func(r *rowOf) error {
		t.addUnseen(r)
		if err := t.prior.law.Maximize(r.theta, r.counts); err != nil {
			return nested.Errorf("translations of %s word %d: %w", sideNames[r.direction], r.word, err)
		}
		if isValuer {
			values = resized(values, len(r.theta))
			valuer.Values(values, r.theta)
			for i, v := range values {
				r.theta[i] = v.Float64()
			}
		}
		t.scatter(theta, r)
		return nil
	})
}

// addUnseen adds the pseudo-links of the prior to the counts of a word.
func (t *translations) addUnseen(r *rowOf) {
	if t.prior.empty() {
		return
	}
	for i, slot := range r.slots {
		e := r.word
		if r.direction == fe {
			e = t.of(slot)
		}
		x, y := t.prior.unseen(t.lexicon, e, slot)
		r.counts[i] += [2]float64{x, y}[r.direction]
	}
}

// frequencies is Maximize by relative frequency, in two sequential passes over memory. A word
// without counts keeps its probabilities.
func (t *translations) frequencies(theta, counts []float64) error {
	known := !t.prior.empty()
	of, given := make([]float64, len(t.row)-1), make([]float64, t.numF)
	for e := range int32(len(t.row) - 1) {
		for slot := t.row[e]; slot < t.row[e+1]; slot++ {
			x, y := counts[2*slot+ef], counts[2*slot+fe]
			if known {
				more, other := t.prior.unseen(t.lexicon, e, slot)
				x, y = x+more, y+other
			}
			of[e] += x
			given[t.col[slot]] += y
		}
	}
	for e := range int32(len(t.row) - 1) {
		for slot := t.row[e]; slot < t.row[e+1]; slot++ {
			x, y := counts[2*slot+ef], counts[2*slot+fe]
			if known {
				more, other := t.prior.unseen(t.lexicon, e, slot)
				x, y = x+more, y+other
			}
			t.setShare(&theta[2*slot+ef], x, of[e])
			t.setShare(&theta[2*slot+fe], y, given[t.col[slot]])
		}
	}
	if all := floats.Sum(of) + floats.Sum(given); all-all != 0 {
		return fmt.Errorf("%w: counts of total %g", em.ErrParameter, all)
	}
	t.total = [2][]float64{of, given}
	return nil
}

// setShare sets *p to the fraction links/total, at least the floor, if total is positive.
func (t *translations) setShare(p *float64, links, total float64) {
	if total > 0 {
		*p = max(links/total, t.floor)
	}
}

// rowOf contains the parameters of one word in one direction.
type rowOf struct {
	direction     int
	word          int32
	slots         []int32
	theta, counts []float64
}

// rows visits the words of E in direction ef, then the words of F in direction fe. Each visit
// receives the slots in ascending order and copies of the word's part of theta and of counts,
// unless these are nil.
func (t *translations) rows(theta, counts []float64, visit func(r *rowOf) error) error {
	r := &rowOf{direction: ef}
	gather := func() error {
		r.theta = r.theta[:0]
		for _, slot := range r.slots {
			r.theta = append(r.theta, theta[2*int(slot)+r.direction])
		}
		r.counts = r.counts[:0]
		for _, slot := range r.slots {
			if counts != nil {
				r.counts = append(r.counts, counts[2*int(slot)+r.direction])
			}
		}
		return visit(r)
	}
	for e := range t.row[1:] {
		r.word, r.slots = int32(e), r.slots[:0]
		for slot := t.row[e]; slot < t.row[e+1]; slot++ {
			r.slots = append(r.slots, slot)
		}
		if err := gather(); err != nil {
			return err
		}
	}
	r.direction = fe
	return t.columns(func(f int32, slots []int32) error {
		r.word, r.slots = f, slots
		return gather()
	})
}

// columnPairs is the number of slots that columns holds, unless a word has more. A smaller number
// takes less memory and more passes over the lexicon.
const columnPairs = 1 << 18

// columns visits the words of F in order with their slots.
func (t *translations) columns(visit func(f int32, slots []int32) error) error {
	partners := t.partners(t.numF)
	var slots []int32
	next := make([]int, t.numF)
	for lo := 0; lo < t.numF; {
		hi, n := lo, 0
		for hi < t.numF && (hi == lo || n+int(partners[hi]) <= columnPairs) {
			next[hi] = n
			n += int(partners[hi])
			hi++
		}
		slots = resized(slots, n)
		for slot, f := range t.col {
			if lo <= int(f) && int(f) < hi {
				slots[next[f]] = int32(slot)
				next[f]++
			}
		}
		for f := lo; f < hi; f++ {
			if err := visit(int32(f), slots[next[f]-int(partners[f]):next[f]]); err != nil {
				return err
			}
		}
		lo = hi
	}
	return nil
}

// scatter writes the probabilities of a word, raised to the floor.
func (t *translations) scatter(theta []float64, r *rowOf) {
	for i, slot := range r.slots {
		theta[2*int(slot)+r.direction] = max(r.theta[i], t.floor)
	}
}

// givenNull is the law of the probabilities of words given NULL, with a floor.
type givenNull struct {
	em.Multinomial
	floor float64
}

// Check returns an error unless the parameters are probabilities.
func (givenNull) Check(theta []float64) error { return floored{}.Check(theta) }

// Maximize sets the relative frequencies, but at least the floor.
func (g givenNull) Maximize(theta, counts []float64) error {
	err := g.Multinomial.Maximize(theta, counts)
	for i, p := range theta {
		theta[i] = max(p, g.floor)
	}
	return err
}

// floored checks the parameters of a law that sum to 1 except for a floor.
type floored struct{}

// Check returns an error unless the parameters are probabilities. The probabilities of a word do
// not sum to 1 if some have been raised to the floor.
func (floored) Check(theta []float64) error {
	if !probable(theta) {
		return errImprobable
	}
	return nil
}

// probable reports whether all elements of p are probabilities, allowing for rounding.
func probable(p []float64) bool {
	for _, x := range p {
		if !(x >= 0 && x <= 1+1e-6) {
			return false
		}
	}
	return true
}

var errImprobable = errors.New("a number is not in [0, 1], want probabilities")
