package trellis

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// ring holds the operations that differ between sums over all paths and best paths.
type ring interface {
	Plus(a, b semiring.ScaledFloat) semiring.ScaledFloat
	Dot(dst *semiring.ScaledFloat, w []semiring.ScaledFloat, k []int32, x []semiring.ScaledFloat, i []int32)
}

var (
	adding   ring = semiring.Scaled{}
	choosing ring = semiring.Viterbi{}
)

// PathSum returns the sum of the weights of all paths, 0 if there is no path.
func (t *Trellis) PathSum(s *Scratch) semiring.ScaledFloat {
	s.grow(t)
	x, y := s.layer[0], s.layer[1]
	x = x[:len(t.initial)]
	t.begin(x)
	for layer := range t.steps {
		y = y[:t.block(layer).cols]
		t.forward(y, x, layer, s)
		x, y = y, x
	}
	sum := semiring.ScaledFloat{}
	for i, w := range x {
		if t.final != nil {
			w = w.Mul(t.final[i])
		}
		sum = sum.Add(w)
	}
	return sum
}

// Forward returns α per node: the sum over all paths from the first layer to the node, including
// the node's weight. The result is stored in dst if dst is large enough.
func (t *Trellis) Forward(dst []semiring.ScaledFloat, s *Scratch) []semiring.ScaledFloat {
	s.grow(t)
	dst = rows.Resized(dst, t.numNodes)
	lo, hi := 0, len(t.initial)
	t.begin(dst[:hi])
	for layer := range t.steps {
		end := hi + t.block(layer).cols
		t.forward(dst[hi:end], dst[lo:hi], layer, s)
		lo, hi = hi, end
	}
	return dst
}

// Backward returns β per node: the sum over all paths from the node to the last layer, without
// the node's weight. The result is stored in dst if dst is large enough.
func (t *Trellis) Backward(dst []semiring.ScaledFloat, s *Scratch) []semiring.ScaledFloat {
	return t.betas(dst, adding, s)
}

// betas is Backward in the ring r.
func (t *Trellis) betas(dst []semiring.ScaledFloat, r ring, s *Scratch) []semiring.ScaledFloat {
	s.grow(t)
	dst = rows.Resized(dst, t.numNodes)
	hi := t.numNodes
	lo := hi - t.lastSize()
	t.end(dst[lo:hi])
	for layer := len(t.steps) - 1; layer >= 0; layer-- {
		after, z := dst[lo:hi], s.layer[0][:hi-lo]
		t.weighted(z, after, layer+1)
		lo, hi = lo-t.block(layer).rows, lo
		t.backward(dst[lo:hi], after, z, layer, r, s)
	}
	return dst
}

// begin sets x to α of the first layer.
func (t *Trellis) begin(x []semiring.ScaledFloat) {
	copy(x, t.initial)
	if v := t.nodeWeights(0); v != nil {
		multiply(x, v)
	}
}

// end sets x to β of the last layer.
func (t *Trellis) end(x []semiring.ScaledFloat) {
	if t.final != nil {
		copy(x, t.final)
		return
	}
	for i := range x {
		x[i] = semiring.ScaledFloat{Mant: 1}
	}
}

// weighted sets z to the node weights of a layer times beta, the β of the layer.
func (t *Trellis) weighted(z, beta []semiring.ScaledFloat, layer int) {
	copy(z, beta)
	if v := t.nodeWeights(layer); v != nil {
		multiply(z, v)
	}
}

// forward sets y to α of layer+1; x is α of layer.
func (t *Trellis) forward(y, x []semiring.ScaledFloat, layer int, s *Scratch) {
	t.arrive(y, x, layer, s)
	if v := t.nodeWeights(layer + 1); v != nil {
		multiply(y, v)
	}
	if t.stays(layer) {
		t.addStay(y, x, layer, adding)
	}
}

// arrive sets y to the product of x and the block that leaves a layer.
func (t *Trellis) arrive(y, x []semiring.ScaledFloat, layer int, s *Scratch) {
	b := t.block(layer)
	if b.real {
		if exp, ok := toNumbers(s.x, x); ok {
			b.rowTimes(s.y[:len(y)], s.x[:len(x)], b.number)
			fromNumbers(y, s.y[:len(y)], exp+b.exp)
			return
		}
	}
	for j := range y {
		w, k, row := b.column(j)
		adding.Dot(&y[j], w, k, x, row)
	}
}

// backward sets y to β of layer. after is β of layer+1, and z is after times the node weights of
// layer+1.
func (t *Trellis) backward(y, after, z []semiring.ScaledFloat, layer int, r ring, s *Scratch) {
	b := t.block(layer)
	exp, ok := int64(0), false
	if b.real && r == adding {
		exp, ok = toNumbers(s.x, z)
	}
	if ok {
		b.timesColumn(s.y[:len(y)], b.number, s.x[:len(z)])
		fromNumbers(y, s.y[:len(y)], exp+b.exp)
	} else {
		for i := range y {
			w, col := b.row(i)
			r.Dot(&y[i], w, nil, z, col)
		}
	}
	if t.stays(layer) {
		t.addStay(y, after, layer, r)
	}
}

// addStay adds the paths that stay in a step to y. Either y is α after the step and x is α before
// it, or y is β before the step and x is β after it.
func (t *Trellis) addStay(y, x []semiring.ScaledFloat, step int, r ring) {
	for i, w := range x {
		y[i] = r.Plus(y[i], t.stay[step].Mul(w))
	}
}

// Independent sums over the paths of a trellis of independent layers of width nodes each: between
// two layers all paths go through a single node. The path sum is the product of the layers' sums.
// It overwrites the node weights, given layer by layer, with the posteriors of the nodes; if the
// path sum is 0, nodes holds garbage afterwards.
//
// It takes time proportional to the number of nodes and no extra memory; a Trellis with such
// layers would take several times as much time and memory. The error wraps semiring.ErrShape if
// len(nodes) is not a multiple of width, and semiring.ErrNotFinite if the sum of a layer is
// infinite or not a number.
func Independent(nodes []float64, width int) (semiring.ScaledFloat, error) {
	if width <= 0 || len(nodes)%width != 0 {
		return semiring.ScaledFloat{}, nested.Errorf("trellis: %w: %d nodes in layers of %d", semiring.ErrShape, len(nodes), width)
	}
	const least = 0x1p-1000 // the inverse is finite
	total := semiring.NewScaled(1)
	for lo := 0; lo < len(nodes); lo += width {
		layer, sum := nodes[lo:lo+width], 0.0
		for _, x := range layer {
			sum += x
		}
		switch {
		case sum-sum != 0:
			return semiring.NewScaled(sum), nested.Errorf("trellis: %w: the sum of layer %d is %g", semiring.ErrNotFinite, lo/width, sum)
		case sum == 0:
			return semiring.ScaledFloat{}, nil
		case sum >= least:
			inverse := 1 / sum
			for i := range layer {
				layer[i] *= inverse
			}
		default:
			for i := range layer {
				layer[i] /= sum
			}
		}
		total = total.Mul(semiring.NewScaled(sum))
	}
	return total, nil
}
