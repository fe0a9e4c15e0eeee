package trellis

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// BestPath appends the path of greatest weight to dst. It also returns the weight of the path,
// multiplied in the order of the path (Viterbi 1967). The path contains, per layer, the number i
// of a node within its layer, or ^i = −1−i if the path stays at the node (see SetStay). Of
// equally good nodes it takes the first. Weights must not be negative. If there is no path, it
// returns dst unchanged and weight 0. The error wraps semiring.ErrNotFinite if the weight is not
// a number.
//
// It keeps β of all nodes in s. For the best k paths see Graph.
func (t *Trellis) BestPath(dst []int32, s *Scratch) ([]int32, semiring.ScaledFloat, error) {
	s.node = t.betas(s.node, choosing, s)
	ways := s.layer[0][:len(t.initial)]
	t.begin(ways)
	multiply(ways, s.node)
	i, total := greatestOf(ways)
	switch {
	case total.IsZero():
		return dst, semiring.ScaledFloat{}, nil
	case total.IsNaN():
		return dst, total, nested.Errorf("trellis: %w: the best path weighs %v", semiring.ErrNotFinite, total)
	}
	begin := len(dst)
	dst = append(dst, int32(i))
	beta := s.node[len(ways):]
	for layer := range t.steps {
		b := t.block(layer)
		z := s.layer[1][:b.cols]
		t.weighted(z, beta[:b.cols], layer+1)
		w, col := b.row(i)
		ways = s.layer[0][:len(w)]
		products(ways, w, z, col)
		if t.stays(layer) {
			ways = append(ways, t.stay[layer].Mul(beta[i]))
		}
		switch n, _ := greatestOf(ways); {
		case n == len(w):
			dst = append(dst, ^int32(i))
		case col != nil:
			i = int(col[n])
			dst = append(dst, col[n])
		default:
			i = n
			dst = append(dst, int32(i))
		}
		beta = beta[b.cols:]
	}
	return dst, t.weigh(dst[begin:]), nil
}

// products sets dst[n] to w[n]·z[col[n]]; col is nil for 0, 1, 2, ….
func products(dst, w, z []semiring.ScaledFloat, col []int32) {
	for n, x := range w {
		j := n
		if col != nil {
			j = int(col[n])
		}
		dst[n] = x.Mul(z[j])
	}
}

// greatestOf returns the first of the greatest weights, or NaN if a weight is NaN.
func greatestOf(ways []semiring.ScaledFloat) (n int, w semiring.ScaledFloat) {
	for i, x := range ways {
		if semiring.Viterbi.Compare(semiring.Viterbi{}, x, ways[n]) < 0 {
			n = i
		}
	}
	return n, ways[n]
}

// weigh returns the weight of a path.
func (t *Trellis) weigh(path []int32) semiring.ScaledFloat {
	weight, here := t.initial[path[0]], path[0]
	for layer, i := range path {
		if i < 0 {
			weight = weight.Mul(t.stay[layer-1])
			continue
		}
		if layer > 0 {
			weight = weight.Mul(t.block(layer-1).at(int(here), int(i)))
		}
		if v := t.nodeWeights(layer); v != nil {
			weight = weight.Mul(v[i])
		}
		here = i
	}
	if t.final != nil {
		weight = weight.Mul(t.final[here])
	}
	return weight
}
