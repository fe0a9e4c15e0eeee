package align

import "gonum.org/v1/gonum/floats"

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
