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
	p     []float64
	least float64 // of p, except zeros
	// table has a record of the first jump, and then of each pair of classes, of stride numbers: the
	// probabilities of the buckets, and their sums from the middle on, behind and ahead; see fill.
	table []float64
}

// at returns the distribution with its parameters, the beginning of p.
func (j jumps) at(p []float64) *jumps {
	j.p = p[:j.probabilities()]
	j.least = math.Inf(1)
	for _, x := range j.p {
		if x > 0 {
			j.least = min(j.least, x)
		}
	}
	j.table = make([]float64, (1+j.pairs())*j.stride())
	j.fill(j.table, j.start(j.p), true)
	for pair := range j.pairs() {
		j.fill(j.table[(1+pair)*j.stride():], j.inner(j.p, pair), false)
	}
	return &j
}

// fill sets the beginning of record to the record of a distribution. If there are behind positions
// behind and ahead positions ahead, at most reach each, the sum over the available buckets is
// record[j.behind(behind)] + record[j.ahead(ahead)].
func (j *jumps) fill(record, p []float64, first bool) {
	copy(record, p)
	behind, ahead := 0.0, 0.0
	for d := range j.reach + 1 {
		if !first {
			behind += p[j.reach-d]
		}
		if d > 0 {
			ahead += p[j.reach+d]
		}
		record[j.behind(d)], record[j.ahead(d)] = behind, ahead
	}
}

// behind and ahead return the indices of sums in a record. The sums over more buckets, which are
// used more often, come first, near the probabilities.
func (j *jumps) behind(d int) int { return j.buckets() + 2*(j.reach-min(d, j.reach)) }
func (j *jumps) ahead(d int) int  { return j.behind(d) + 1 }

// stride returns the length of a record, a multiple of 4. With the default reach a record takes
// exactly three cache lines.
func (j *jumps) stride() int { return 4 * (j.reach + 1) }

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

// inners returns the parts for all pairs with a class of the hidden word.
func (j *jumps) inners(p []float64, hidden int) []float64 {
	return p[(2+hidden*j.seen)*j.buckets() : (2+(hidden+1)*j.seen)*j.buckets()]
}

// span describes the row of jumps from one position of a sentence, or from −1. Positions first, …,
// last−1 have buckets of their own, of which the first is bucket lo. The positions before them
// share bucket 0, and those after them the last bucket, hi. The sum over the available buckets is
// the sum of the numbers behind and ahead of a record.
type span struct{ first, last, lo, hi, behind, ahead int }

// span returns the span of jumps from a position of n.
func (j *jumps) span(from, n int) span {
	first := max(0, from-j.reach+1)
	return span{
		first: first, last: min(n, from+j.reach), lo: first - from + j.reach, hi: 2 * j.reach,
		behind: j.behind(max(from, 0)), ahead: j.ahead(n - 1 - from),
	}
}

// row sets w[i] to move times the probability, by the distribution of a record, of a jump to
// position i of len(w).
func (x *span) row(w, record []float64, move float64) {
	z := record[x.behind] + record[x.ahead]
	if !(z > 0) {
		for i := range w {
			w[i] = move / float64(len(w))
		}
		return
	}
	if z < tiny {
		record, z = lifted(record), z*lift
	}
	scale := move / z
	own := w[x.first:x.last]
	for i, p := range record[x.lo:][:len(own)] {
		own[i] = scale * p
	}
	if x.first > 0 {
		before := scale * record[0] / float64(x.first)
		for i := range w[:x.first] {
			w[i] = before
		}
	}
	if x.last < len(w) {
		after := scale * record[x.hi] / float64(len(w)-x.last)
		rest := w[x.last:]
		for i := range rest {
			rest[i] = after
		}
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
// the classes of the words there, nil for one class: for each class of observed words a square of
// n+1 nodes. The first node is the state before the sentence; no transition returns to it.
//
// Squares are made row by row: the records of a hidden class are adjacent in memory.
func (j *jumps) transitions(cells []float64, n int, classes, seen []int32, move float64) {
	width, stride := n+1, j.stride()
	square := width * width
	records := j.table[stride:]
	_ = j.fetch(records, stride, j.behind(j.reach), n, classes, seen)
	x := j.span(-1, n)
	first := cells[:width]
	first[0] = 0
	x.row(first[1:], j.table[:stride], move)
	for k := 1; k < len(seen); k++ {
		copy(cells[k*square:], first)
	}
	for from := range n {
		x := j.span(from, n)
		own, rows := records[j.class(classes, from)*j.seen*stride:], cells[(from+1)*width:]
		for k, class := range seen {
			row := rows[k*square:][:width]
			row[0] = 0
			x.row(row[1:], own[int(class)*stride:][:stride], move)
		}
	}
}

// fetch brings the numbers of a sentence's pairs of classes into the cache. Each pair has size
// numbers, of which fetch reads the first and number other. The processor loads many pairs at the
// same time, because fetch does nothing else between two loads. The sum of the numbers has no use.
//
//go:noinline
func (j *jumps) fetch(numbers []float64, size, other, n int, classes, seen []int32) (sum float64) {
	for at := range n {
		own := numbers[j.class(classes, at)*j.seen*size:]
		for _, class := range seen {
			pair := own[int(class)*size:][:size]
			sum += pair[0] + pair[other]
		}
	}
	return sum
}

// within returns bounds of the transitions ≠ 0 among n positions, each times move, and of ends.
func (j *jumps) within(n int, move float64) (least, most float64) {
	// A parameter is at most 1, allowing for rounding, and z the sum of at most all buckets.
	return move * j.least / float64(2*n*j.buckets()), 2
}

// class returns the class of the word at a position, given the classes of all, nil for one class.
func (j *jumps) class(classes []int32, at int) int {
	if classes == nil {
		return 0
	}
	return int(classes[at])
}

// ends sets w to the weights of ending after each of the n+1 nodes of n positions.
func (j *jumps) ends(w []float64) {
	for node := range w {
		w[node] = j.end(j.p)[j.bucket(len(w)-node)]
	}
}

// uses are the expected uses of the cells of a block, as factors: see trellis.Uses.Factors.
type uses struct{ weights, divided, direct []float64 }

// count adds weight times the uses of transitions to counts, which are in the order of p, given one
// of uses for each class of observed words.
func (j *jumps) count(counts []float64, of []uses, n int, classes, seen []int32, weight float64) {
	_ = j.fetch(counts[2*j.buckets():], j.buckets(), j.buckets()-1, n, classes, seen)
	for from := -1; from < n; from++ {
		x := j.span(from, n)
		lo, hi := (from+1)*(n+1)+1, (from+2)*(n+1)
		part, size := j.start(counts), 0
		if from >= 0 {
			part, size = j.inners(counts, j.class(classes, from)), j.buckets()
		}
		for k, class := range seen {
			bucket := part[int(class)*size:][:j.buckets()]
			if u := &of[k]; u.divided != nil {
				x.countProducts(bucket, u.weights[lo:hi], u.divided[lo:hi], weight)
			}
			if u := &of[k]; u.direct != nil {
				x.count(bucket, u.direct[lo:hi], weight)
			}
		}
	}
}

// apart returns the positions within reach, from lo to hi−1 of n, and the bucket of the first.
func (x *span) apart(n int) (lo, hi, bucket int) {
	lo = max(0, x.first-1)
	return lo, min(n, x.last+1), x.lo - (x.first - lo)
}

// count adds weight times the uses of a row to the counts of its distribution.
func (x *span) count(bucket, uses []float64, weight float64) {
	lo, hi, first := x.apart(len(uses))
	before, after := 0.0, 0.0
	for _, u := range uses[:lo] {
		before += u
	}
	for _, u := range uses[hi:] {
		after += u
	}
	bucket[0] += weight * before
	bucket[len(bucket)-1] += weight * after
	own := bucket[first:][:hi-lo]
	for i, u := range uses[lo:hi] {
		own[i] += weight * u
	}
}

// countProducts is count for uses that are products of two factors.
func (x *span) countProducts(bucket, factor, other []float64, weight float64) {
	lo, hi, first := x.apart(len(factor))
	other = other[:len(factor)]
	if lo > 0 {
		before := 0.0
		for i, u := range factor[:lo] {
			before += float64(u * other[i])
		}
		bucket[0] += weight * before
	}
	if hi < len(factor) {
		after := 0.0
		for i := hi; i < len(factor); i++ {
			after += float64(factor[i] * other[i])
		}
		bucket[len(bucket)-1] += weight * after
	}
	factor, other = factor[lo:hi], other[lo:hi]
	own := bucket[first:][:len(factor)]
	other = other[:len(own)]
	for i, u := range factor {
		own[i] += weight * (u * other[i])
	}
}

// countEnds adds weight times the uses of ends to counts.
func (j *jumps) countEnds(counts []float64, of uses, nodes int, weight float64) {
	end := j.end(counts)
	for node := range nodes {
		x := 0.0
		if of.divided != nil {
			x = of.weights[node] * of.divided[node]
		}
		if of.direct != nil {
			x += of.direct[node]
		}
		end[j.bucket(nodes-node)] += weight * x
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
