package align

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// jumps is the distribution of the HMM of one direction over the next aligned position given the
// last one: it depends on their difference, in buckets, on the class of the hidden word at the last
// position, and on the class of the observed word at the next one. The first and the last bucket
// include all greater distances. The probability of a bucket is divided evenly among its positions
// in the sentence, and then the row is normalized.
type jumps struct {
	reach        int // differences −reach, …, reach have buckets
	hidden, seen int // the numbers of classes
	// p contains the probabilities of the buckets: of the first jump, from before the sentence; of
	// the remaining distance to the end; then of the other jumps, by class of the hidden word and,
	// within it, of the observed word. It is nil in a law, whose methods receive it as θ.
	p []float64
	// z is, per distribution and place, the sum of p over the available buckets.
	z []float64
}

// at returns the distribution with its parameters, the beginning of p.
func (j jumps) at(p []float64) *jumps {
	j.p = p[:j.probabilities()]
	j.z = make([]float64, (1+j.pairs())*j.sides())
	for k := range 1 + j.pairs() {
		j.normalizers(j.z[k*j.sides():(k+1)*j.sides()], j.choices(j.p, k), k == 0)
	}
	return &j
}

// normalizers sets z to the sums of a distribution over the buckets available at each place.
func (j *jumps) normalizers(z, p []float64, first bool) {
	here := p[j.reach]
	if first {
		here = 0
	}
	for behind := range j.reach + 1 {
		if behind > 0 && !first {
			here += p[j.reach-behind]
		}
		sum := here
		for ahead := range j.reach + 1 {
			if ahead > 0 {
				sum += p[j.reach+ahead]
			}
			z[behind*(j.reach+1)+ahead] = sum
		}
	}
}

func (j *jumps) buckets() int { return 2*j.reach + 1 }

// pairs returns the number of pairs of classes, each of which has a distribution.
func (j *jumps) pairs() int { return j.hidden * j.seen }

// probabilities returns the number of bucket probabilities.
func (j *jumps) probabilities() int { return (2 + j.pairs()) * j.buckets() }

// bucket returns the bucket of a difference of positions.
func (j *jumps) bucket(jump int) int { return max(-j.reach, min(jump, j.reach)) + j.reach }

// The parts of p, or of counts.
func (j *jumps) start(p []float64) []float64 { return p[:j.buckets()] }
func (j *jumps) end(p []float64) []float64   { return p[j.buckets() : 2*j.buckets()] }
func (j *jumps) inner(p []float64, pair int) []float64 {
	return p[(2+pair)*j.buckets() : (3+pair)*j.buckets()]
}

// choices returns the part for distribution k: the first jump, or a pair of classes, counted from
// 1.
func (j *jumps) choices(p []float64, k int) []float64 {
	if k == 0 {
		return j.start(p)
	}
	return j.inner(p, k-1)
}

// distribution returns the index of the distribution of jumps from a position, which may be −1,
// given the classes of the words at the positions, nil for one class, and of the observed word.
func (j *jumps) distribution(from int, classes []int32, seen int32) int {
	switch {
	case from < 0:
		return 0
	case classes == nil:
		return 1 + int(seen)
	}
	return 1 + int(classes[from])*j.seen + int(seen)
}

// row sets w[i] to move times the probability, by distribution k, of a jump from position from,
// which may be −1, to position i of len(w).
func (j *jumps) row(w []float64, k, from int, move float64) {
	n, bucket := len(w), j.choices(j.p, k)
	z := j.z[k*j.sides()+j.place(from, n)]
	if !(z > 0) {
		for i := range w {
			w[i] = move / float64(n)
		}
		return
	}
	if z < tiny {
		bucket, z = lifted(bucket), z*lift
	}
	scale := move / z
	// Positions within reach have buckets of their own, in order; the others share one.
	first, last := max(0, from-j.reach+1), min(n, from+j.reach)
	before := scale * bucket[0] / float64(first)
	for i := range first {
		w[i] = before
	}
	for i, p := range bucket[first-from+j.reach : last-from+j.reach] {
		w[first+i] = scale * p
	}
	after := scale * bucket[2*j.reach] / float64(n-last)
	for i := last; i < n; i++ {
		w[i] = after
	}
}

// The inverse of a sum of probabilities below tiny may overflow; an example is the only bucket of a
// sentence of one word. The quotient is then computed from numbers multiplied by lift.
const (
	tiny = 0x1p-1000
	lift = 0x1p200
)

// lifted returns p times lift.
func lifted(p []float64) []float64 {
	q := slices.Clone(p)
	for i := range q {
		q[i] *= lift
	}
	return q
}

// transitions sets cells to the transitions of the HMM among n positions, each times move, given
// the classes of the words there and of the observed word: a square of n+1 nodes. The first is the
// state before the sentence; no transition returns to it.
func (j *jumps) transitions(cells []float64, n int, classes []int32, seen int32, move float64) {
	for from := -1; from < n; from++ {
		row := cells[(from+1)*(n+1) : (from+2)*(n+1)]
		row[0] = 0
		j.row(row[1:], j.distribution(from, classes, seen), from, move)
	}
}

// ends sets w to the weights of ending after each of the n+1 nodes of n positions.
func (j *jumps) ends(w []float64) {
	for node := range w {
		w[node] = j.end(j.p)[j.bucket(len(w)-node)]
	}
}

// sides returns the number of places at which a distribution can be used. A place is the number of
// positions behind and ahead, at most reach each. It determines the available buckets.
func (j *jumps) sides() int { return (j.reach + 1) * (j.reach + 1) }

// place returns the index of the place of a jump from a position, which may be −1, of n positions.
func (j *jumps) place(from, n int) int {
	return min(max(from, 0), j.reach)*(j.reach+1) + min(n-1-from, j.reach)
}

// count adds weight times the uses of the cells of a matrix of n positions (see transitions) to
// counts, which are in the order of p.
func (j *jumps) count(counts, cells []float64, n int, classes []int32, seen int32, weight float64) {
	for from := -1; from < n; from++ {
		bucket := j.choices(counts, j.distribution(from, classes, seen))
		uses := cells[(from+1)*(n+1)+1:][:n]
		lo, hi := max(0, from-j.reach), min(n, from+j.reach+1)
		before, after := 0.0, 0.0
		for _, x := range uses[:lo] {
			before += x
		}
		for _, x := range uses[hi:] {
			after += x
		}
		bucket[0] += weight * before
		bucket[2*j.reach] += weight * after
		within := bucket[lo-from+j.reach : hi-from+j.reach]
		for i, x := range uses[lo:hi] {
			within[i] += weight * x
		}
	}
}

// countEnds adds weight times the uses of ends to counts.
func (j *jumps) countEnds(counts, ends []float64, weight float64) {
	for node, x := range ends {
		j.end(counts)[j.bucket(len(ends)-node)] += weight * x
	}
}

// jumpLaw is the law of the probabilities of jumps.
type jumpLaw struct {
	floored
	jumps
	// strength is the number of pseudo-jumps of each pair of classes, distributed like the jumps of
	// its hidden class; see Prior.Jumps.
	strength float64
}

func (l *jumpLaw) size() int { return l.probabilities() }

func (l *jumpLaw) at(p []float64, null nullRate) positions { return &hmm{l.jumps.at(p), null} }

func (*jumpLaw) onto(_ *shapes, p []float64) []float64 { return p }

// String describes the law.
func (l *jumpLaw) String() string {
	return fmt.Sprintf("jumps: reach %d, %d×%d classes of strength %g", l.reach, l.hidden, l.seen, l.strength)
}

// Start makes the buckets of a distribution equally probable.
func (l *jumpLaw) Start(theta []float64) {
	l.each(theta, em.Multinomial{}.Start)
}

// Random draws each distribution from the uniform one on the simplex.
func (l *jumpLaw) Random(theta []float64, src rand.Source) {
	l.each(theta, func(p []float64) { em.Multinomial{}.Random(p, src) })
}

// each visits the distributions: of the first jump, of the remaining distance, of each pair of
// classes.
func (l *jumpLaw) each(theta []float64, visit func(p []float64)) {
	for lo := 0; lo < l.probabilities(); lo += l.buckets() {
		visit(theta[lo : lo+l.buckets()])
	}
}

// LogPrior is 0.
func (l *jumpLaw) LogPrior([]float64) float64 { return 0 }

// Maximize sets the relative frequencies, as if every jump were possible everywhere.
func (l *jumpLaw) Maximize(theta, counts []float64) error {
	if l.strength > 0 && l.seen > 1 {
		counts = l.pooled(counts)
	}
	l.each(theta, func(p []float64) {
		ratio(p, counts[:len(p)])
		counts = counts[len(p):]
	})
	return nil
}

// pooled returns counts plus, for each pair of classes, strength pseudo-jumps distributed like all
// jumps after its hidden class.
func (l *jumpLaw) pooled(counts []float64) []float64 {
	out := slices.Clone(counts)
	for hidden := range l.hidden {
		p, sums := make([]float64, l.buckets()), make([]float64, l.buckets())
		for pair := hidden * l.seen; pair < (hidden+1)*l.seen; pair++ {
			floats.Add(sums, l.inner(counts, pair))
		}
		ratio(p, sums)
		for pair := hidden * l.seen; pair < (hidden+1)*l.seen; pair++ {
			if math.IsInf(l.strength, 1) { // other jumps do not count
				copy(l.inner(out, pair), p)
				continue
			}
			floats.AddScaled(l.inner(out, pair), l.strength, p)
		}
	}
	return out
}

// ratio sets p to relative frequencies. If all counts are 0, p does not change.
func ratio(p, counts []float64) {
	sum := 0.0
	for _, x := range counts {
		sum += x
	}
	if sum > 0 {
		for i, x := range counts {
			p[i] = x / sum
		}
	}
}
