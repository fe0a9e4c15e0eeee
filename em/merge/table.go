package merge

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
)

// table holds the counts of the ways through a state.
type table struct {
	state   int32
	opts    *Options
	in, out []int32 // the ways in and out that are used
	cells   []cell
	loopIn  []int // per way out: the way in by the same arc; −1 if it is not a loop
	// The probability of a way out of a copy is a product of parameters. In a joint model, the
	// parameters of all ways out sum to 1. In a conditional model, the parameters of the ways out
	// that read the same label sum to 1, and a coin decides between ways that read ε and all
	// others.
	groups  []int   // the length of each group of parameters that sum to 1
	factors [][]int // per way out: its probability is the product of these parameters
}

// cell is the count of a way in, followed by a way out, by their indices in the table.
type cell struct {
	in, out int
	count   float64
}

func newTable(u *usage, s int32, o *Options) *table {
	t := &table{state: s, opts: o}
	starts := int32(len(u.counts.Graph().Starts()))
	position := func(list *[]int32, at map[int32]int, id int32) int {
		i, ok := at[id]
		if !ok {
			i = len(*list)
			at[id] = i
			*list = append(*list, id)
		}
		return i
	}
	in, out := map[int32]int{}, map[int32]int{}
	total := 0.0
	for _, w := range u.ways[s] {
		t.cells = append(t.cells, cell{position(&t.in, in, w.in), position(&t.out, out, w.out), w.count})
		total += w.count
	}
	for i := range t.cells {
		t.cells[i].count = max(t.cells[i].count, rarest*total)
	}
	var input []int32
	for _, e := range t.out {
		loop, label := -1, stop
		if e != stop {
			label = u.counts.In()[e]
			if i, ok := in[starts+e]; ok {
				loop = i
			}
		}
		t.loopIn, input = append(t.loopIn, loop), append(input, label)
	}
	t.parameterize(input)
	return t
}

// parameterize sets the groups of parameters and their products for the ways out; input holds
// their input labels.
func (t *table) parameterize(input []int32) {
	t.factors = make([][]int, len(t.out))
	size := 0
	group := func(n int) int {
		size += n
		t.groups = append(t.groups, n)
		return size - n
	}
	if t.opts.Normalization == Joint {
		for f, first := 0, group(len(t.out)); f < len(t.out); f++ {
			t.factors[f] = []int{first + f}
		}
		return
	}
	if slices.Contains(input, fst.Epsilon) {
		coin := group(2)
		for f, label := range input {
			side := coin
			if label != fst.Epsilon {
				side++
			}
			t.factors[f] = []int{side}
		}
	}
	reading := map[int32][]int{}
	var labels []int32
	for f, label := range input {
		if label == stop {
			continue
		}
		if reading[label] == nil {
			labels = append(labels, label)
		}
		reading[label] = append(reading[label], f)
	}
	for _, label := range labels {
		first := group(len(reading[label]))
		for i, f := range reading[label] {
			t.factors[f] = append(t.factors[f], first+i)
		}
	}
}

// split is a way to make two copies of a state.
type split struct {
	enter [][2]float64 // per way in: the probability of each copy; they sum to 1
	leave [2][]float64 // per copy and way out: its probability under the normalization
	gain  float64      // in log posterior
}

// share returns, for each copy, the probability of a cell's way out by that copy, given its way
// in.
func (z *split) share(c cell) [2]float64 {
	return [2]float64{z.enter[c.in][0] * z.leave[0][c.out], z.enter[c.in][1] * z.leave[1][c.out]}
}

// draw returns a random split.
func (t *table) draw(rng *rand.Rand) *split {
	z := &split{enter: make([][2]float64, len(t.in))}
	for i := range z.enter {
		p := rng.Float64()
		z.enter[i] = [2]float64{p, 1 - p}
	}
	for k := range z.leave {
		counts := make([]float64, len(t.out))
		for _, c := range t.cells {
			counts[c.out] += c.count * z.enter[c.in][k]
		}
		z.leave[k] = t.chances(counts)
	}
	return z
}

// estimate returns the maximum likelihood parameters of the ways out. Groups without counts get
// 0.
func (t *table) estimate(counts []float64) []float64 {
	n := 0
	for _, size := range t.groups {
		n += size
	}
	params, uses := make([]float64, n), make([]float64, n)
	for f, c := range counts {
		for _, i := range t.factors[f] {
			uses[i] += c
		}
	}
	first := 0
	for _, n := range t.groups {
		if err := (em.Multinomial{}).Maximize(params[first:first+n], uses[first:first+n]); err != nil {
			panic("merge: " + err.Error()) // expected counts are finite and ≥ 0
		}
		first += n
	}
	return params
}

// chances returns the maximum likelihood probabilities of the ways out with the given counts.
func (t *table) chances(counts []float64) []float64 {
	params := t.estimate(counts)
	p := make([]float64, len(counts))
	for f, c := range counts {
		if c > 0 {
			p[f] = t.chance(params, f)
		}
	}
	return p
}

// chance returns the probability of a way out.
func (t *table) chance(params []float64, f int) float64 {
	p := 1.0
	for _, i := range t.factors[f] {
		p *= params[i]
	}
	return p
}

// harden removes ways that are not worth their parameter: first ways into one of the copies, then
// ways out of one.
func (t *table) harden(ctx context.Context, z *split) error {
	t.hardenIn(z)
	if err := t.learn(ctx, z); err != nil {
		return err
	}
	t.hardenOut(z)
	if err := t.learn(ctx, z); err != nil {
		return err
	}
	z.gain = t.score(z)
	return nil
}

func (t *table) hardenIn(z *split) {
	loss := make([][2]float64, len(t.in)) // per way in: the loss if it does not enter the copy
	for _, c := range t.cells {
		p := z.share(c)
		for k := range p {
			loss[c.in][k] += c.count * (math.Log(p[0]+p[1]) - math.Log(z.leave[1-k][c.out]))
		}
	}
	for i, l := range loss {
		k := 0
		if l[1] < l[0] {
			k = 1
		}
		if l[k] < t.opts.Prior.Parameter {
			z.enter[i][k], z.enter[i][1-k] = 0, 1
		}
	}
}

func (t *table) hardenOut(z *split) {
	loss := make([][2]float64, len(t.out))
	for _, c := range t.cells {
		p := z.share(c)
		for k := range p {
			if p[k] > 0 {
				loss[c.out][k] += c.count * (math.Log(p[0]+p[1]) - math.Log(p[1-k]))
			}
		}
	}
	for f, l := range loss {
		k := 0
		if l[1] < l[0] {
			k = 1
		}
		if l[k] < t.opts.Prior.Parameter && z.leave[1-k][f] > 0 {
			z.leave[k][f] = 0
		}
	}
}

// score returns the gain of a split in log posterior.
func (t *table) score(z *split) float64 {
	return t.rise(z) + t.opts.Prior.log(1, t.parameters(z))
}

// rise returns the gain of a split in log likelihood.
func (t *table) rise(z *split) float64 {
	whole := make([]float64, len(t.out))
	for _, c := range t.cells {
		whole[c.out] += c.count
	}
	whole = t.chances(whole)
	gain := 0.0
	for _, c := range t.cells {
		p := z.share(c)
		gain += c.count * (math.Log(p[0]+p[1]) - math.Log(whole[c.out]))
	}
	return gain
}

// parameters returns the number of parameters that a split adds.
func (t *table) parameters(z *split) int {
	n := -len(t.out)
	loop := make([]bool, len(t.in))
	for f, i := range t.loopIn {
		targets := 1
		if i >= 0 {
			loop[i] = true
			if z.enter[i][0] > 0 && z.enter[i][1] > 0 {
				targets = 2
			}
		}
		for k := range z.leave {
			if z.leave[k][f] > 0 {
				n += targets
			}
		}
	}
	for i, p := range z.enter {
		if !loop[i] && p[0] > 0 && p[1] > 0 {
			n++
		}
	}
	return n
}
