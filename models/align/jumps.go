package align

import "example.org/pathsum/semiring"

// jumps is the distribution of the HMM of one direction over the next aligned position
// given the last one: it depends on their difference, in buckets, of which the first
// and the last hold all that is farther. What a bucket has is divided evenly over the
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
// times move: a square of n+1 nodes of which the first is the state before the
// sentence, to which nothing returns.
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
