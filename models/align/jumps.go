package align

import (
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
)

// jumps is the distribution of the HMM of one direction over the next aligned position
// given the last one: it depends on their difference, in buckets. The first and the last
// bucket hold all that is farther. What a bucket has is divided evenly over the
// positions of the sentence that are in it, and then the row is normalized.
type jumps struct {
	reach   int     // differences −reach, …, reach have buckets
	classes int     // of the last word
	uniform float64 // the share of the uniform distribution
	// p are the probabilities of the buckets: of the first jump, from before the
	// sentence; of what remains to the end; then class by class of the others.
	p []float64
}

func newJumps(reach, classes int, uniform float64) *jumps {
	j := &jumps{reach: reach, classes: classes, uniform: uniform}
	j.p = make([]float64, (2+classes)*j.buckets())
	for i := range j.p {
		j.p[i] = 1 / float64(j.buckets())
	}
	return j
}

func (j *jumps) buckets() int { return 2*j.reach + 1 }

// bucket returns the bucket of a difference of positions.
func (j *jumps) bucket(jump int) int { return max(-j.reach, min(jump, j.reach)) + j.reach }

// The parts of p, or of counts.
func (j *jumps) start(p []float64) []float64 { return p[:j.buckets()] }
func (j *jumps) end(p []float64) []float64   { return p[j.buckets() : 2*j.buckets()] }
func (j *jumps) inner(p []float64, class int) []float64 {
	return p[(2+class)*j.buckets() : (3+class)*j.buckets()]
}

// from returns the part for jumps from a position, which may be −1, given the classes
// of the words at the positions, nil for one class.
func (j *jumps) from(p []float64, from int, classes []int32) []float64 {
	switch {
	case from < 0:
		return j.start(p)
	case classes == nil:
		return j.inner(p, 0)
	}
	return j.inner(p, int(classes[from]))
}

// row sets w[i] to the probability of position i of len(w), given the buckets for jumps
// from a position, which may be −1.
func (j *jumps) row(w, bucket []float64, from int) {
	n, sum := len(w), 0.0
	for i := range w {
		w[i] = bucket[j.bucket(i-from)] / j.sharing(i-from, from, n)
		sum += w[i]
	}
	for i := range w {
		if sum > 0 {
			w[i] /= sum
		} else {
			w[i] = 1 / float64(n)
		}
		w[i] = (1-j.uniform)*w[i] + j.uniform/float64(n)
	}
}

// sharing returns the number of positions, of n, that share the bucket of a jump from
// a position.
func (j *jumps) sharing(jump, from, n int) float64 {
	switch {
	case jump <= -j.reach:
		return float64(from - j.reach + 1)
	case jump >= j.reach:
		return float64(n - from - j.reach)
	}
	return 1
}

// matrices returns for each class the transitions of the HMM among n positions, each
// times move: a square of n+1 nodes. The first is the state before the sentence, to which
// nothing returns.
func (j *jumps) matrices(n int, move float64) [][]weight {
	out, row := make([][]weight, j.classes), make([]float64, n)
	for class := range out {
		out[class] = make([]weight, (n+1)*(n+1))
		for from := -1; from < n; from++ {
			bucket := j.start(j.p)
			if from >= 0 {
				bucket = j.inner(j.p, class)
			}
			j.row(row, bucket, from)
			cells := out[class][(from+1)*(n+1)+1:]
			for i, p := range row {
				cells[i] = semiring.NewScaled(move * p)
			}
		}
	}
	return out
}

// ends returns the weights of ending after each node of n positions.
func (j *jumps) ends(n int) []weight {
	w := make([]weight, n+1)
	for node := range w {
		w[node] = semiring.NewScaled(j.end(j.p)[j.bucket(n+1-node)])
	}
	return w
}

// Expected counts of jumps are in one slice. First come the uses of the probabilities p, in
// their order. Then, for the first jump and for each class, comes how often a jump was made
// from each place: with how many positions behind and ahead, as far as the reach goes. The
// place says which buckets the jump could choose from.

// sides returns the number of places that a distribution can be used at.
func (j *jumps) sides() int { return (j.reach + 1) * (j.reach + 1) }

func (j *jumps) size() int { return len(j.p) + (1+j.classes)*j.sides() }

// place returns the number of the place of a jump from a position, which may be −1, of
// n.
func (j *jumps) place(from, n int) int {
	return min(max(from, 0), j.reach)*(j.reach+1) + min(n-1-from, j.reach)
}

// choice returns the range of the buckets that there are at a place, of the first jump
// or another.
func (j *jumps) choice(place int, first bool) (lo, hi int) {
	if first {
		return j.bucket(1), j.bucket(place) + 1
	}
	return j.bucket(-(place / (j.reach + 1))), j.bucket(place%(j.reach+1)) + 1
}

// count adds the uses of the cells of a matrix, and of ends, to counts.
func (j *jumps) count(counts, cells, ends []float64, classes []int32, row []float64) {
	n := len(ends) - 1
	places := counts[len(j.p):]
	for from := -1; from < n; from++ {
		bucket, own := j.from(counts, from, classes), places
		if from >= 0 {
			own = places[j.sides():]
			if classes != nil {
				own = places[(1+int(classes[from]))*j.sides():]
			}
		}
		uses := cells[(from+1)*(n+1)+1:][:n]
		if j.uniform > 0 {
			j.share(uses, row[:n], j.from(j.p, from, classes), from)
		}
		// Those within reach have buckets of their own, in order.
		lo, hi := max(0, from-j.reach), min(n, from+j.reach+1)
		bucket[0] += floats.Sum(uses[:lo])
		floats.Add(bucket[lo-from+j.reach:hi-from+j.reach], uses[lo:hi])
		bucket[2*j.reach] += floats.Sum(uses[hi:])
		own[j.place(from, n)] += floats.Sum(uses)
		j.end(counts)[j.bucket(n-from)] += ends[from+1]
	}
}

// share leaves of the uses of a row those that are not due to the uniform distribution.
func (j *jumps) share(uses, row, bucket []float64, from int) {
	j.row(row, bucket, from)
	for i, p := range row {
		if p > 0 {
			uses[i] *= max(0, 1-j.uniform/float64(len(row))/p)
		}
	}
}

// estimate is the M step.
func (j *jumps) estimate(counts []float64, step JumpStep) {
	if step == Frequencies {
		for lo := 0; lo < len(j.p); lo += j.buckets() {
			ratio(j.p[lo:lo+j.buckets()], counts[lo:lo+j.buckets()])
		}
		return
	}
	places := counts[len(j.p):]
	ratio(j.end(j.p), j.end(counts))
	j.choose(j.start(j.p), j.start(counts), places[:j.sides()], true)
	for class := range j.classes {
		places = places[j.sides():]
		j.choose(j.inner(j.p, class), j.inner(counts, class), places[:j.sides()], false)
	}
}

// choose raises Σ counts·ln p − Σ places·ln Z, where Z is the sum of p over the buckets
// that there are at a place: the log likelihood of choices from different sets (Luce
// 1959), by the minorization of Hunter (2004), p = counts / Σ places/Z, some times over.
func (j *jumps) choose(p, counts, places []float64, first bool) {
	const rounds = 10
	inverse := make([]float64, len(p))
	for range rounds {
		clear(inverse)
		for place, c := range places {
			if c == 0 {
				continue
			}
			lo, hi := j.choice(place, first)
			z := 0.0
			for _, x := range p[lo:hi] {
				z += x
			}
			for b := lo; b < hi; b++ {
				inverse[b] += c / z
			}
		}
		next, sum := make([]float64, len(p)), 0.0
		for b, c := range counts {
			if inverse[b] > 0 {
				next[b] = c / inverse[b]
			}
			sum += next[b]
		}
		if !(sum > 0) {
			return
		}
		ratio(p, next)
	}
}

// ratio sets p to relative frequencies; if there are no counts p stays as it is.
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
