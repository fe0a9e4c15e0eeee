package graph

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// BestPath appends to dst the path that the ring, which must be semiring.Ordered,
// puts first, as the number i within its layer of one node per layer, or ^i = −1−i
// where it stays at a node (see SetStay), and returns its weight too, multiplied in
// the order of the path. Of equally good nodes to start from, or to go on to, it
// takes the first. If there is no path, it appends nothing and returns Zero. The
// error wraps semiring.ErrCapability, or semiring.ErrNotFinite if the weight is not a
// number (see semiring.Metric).
//
// It keeps β of all nodes in s. For the best k paths see Graph.
func (t *Trellis[W]) BestPath(dst []int32, s *TrellisScratch[W]) ([]int32, W, error) {
	weight := t.ring.Zero()
	order, err := semiring.Require[semiring.Ordered[W]](t.ring)
	if err != nil {
		return dst, weight, fmt.Errorf("graph: best path: %w", err)
	}
	total := t.prepare(s)
	if t.ring.IsZero(total) {
		return dst, weight, nil
	}
	if weights.IsNaN(t.ring, total) {
		return dst, total, fmt.Errorf("graph: %w: the best path weighs %v", semiring.ErrNotFinite, total)
	}
	begin := len(dst)
	dst = t.follow(dst, s, func(ways []W) (best int) {
		for n, w := range ways {
			if order.Compare(w, ways[best]) < 0 {
				best = n
			}
		}
		return best
	})
	return dst, t.weigh(dst[begin:]), nil
}

// prepare computes β of all nodes, for follow, and returns the sum of all paths.
func (t *Trellis[W]) prepare(s *TrellisScratch[W]) W {
	s.node = t.Backward(s.node, s)
	x := s.layer[0][:len(t.initial)]
	t.begin(x, s)
	total := t.ring.Zero()
	for i, b := range s.node[:len(x)] {
		total = t.ring.Plus(total, t.ring.Times(x[i], b))
	}
	return total
}

// follow appends to dst a path: choose is given the sums of all paths by way of each
// of some nodes, and says which to take.
func (t *Trellis[W]) follow(dst []int32, s *TrellisScratch[W], choose func(ways []W) int) []int32 {
	ways := s.layer[0][:len(t.initial)]
	t.begin(ways, s)
	for i, b := range s.node[:len(ways)] {
		ways[i] = t.ring.Times(ways[i], b)
	}
	i := choose(ways)
	dst = append(dst, int32(i))
	beta := s.node[len(ways):]
	for layer := range t.steps {
		b := t.block(layer)
		lo, hi, first, end := b.out.line(i)
		ways = s.layer[0][:hi-lo]
		t.weighted(ways, beta, layer+1, first, end)
		for n, w := range b.out.weight[lo:hi] {
			ways[n] = t.ring.Times(w, ways[n])
		}
		if t.stays(layer) {
			ways = append(ways, t.ring.Times(t.stay[layer], beta[i]))
		}
		if n := choose(ways); n < int(hi-lo) {
			i = int(first) + n
			dst = append(dst, int32(i))
		} else {
			dst = append(dst, ^int32(i))
		}
		beta = beta[b.cols:]
	}
	return dst
}

// weigh returns the weight of a path.
func (t *Trellis[W]) weigh(path []int32) W {
	weight, here := t.initial[path[0]], path[0]
	for layer, i := range path {
		if i < 0 {
			weight = t.ring.Times(weight, t.stay[layer-1])
			continue
		}
		if layer > 0 {
			b := t.block(layer - 1)
			lo, _, first, _ := b.out.line(int(here))
			weight = t.ring.Times(weight, b.out.weight[lo+i-first])
		}
		if v := t.nodeWeights(layer); v != nil {
			weight = t.ring.Times(weight, v[i])
		}
		here = i
	}
	if t.final != nil {
		weight = t.ring.Times(weight, t.final[here])
	}
	return weight
}
