package merge

import (
	"math"
	"math/rand/v2"

	"example.org/pathsum/fst"
)

// A split makes two copies of a state. The ways in say which copy is entered, with
// probabilities; each copy is left in a way of its own. Which copy a visit goes to is a latent
// class of its way in and way out. So EM, from a random start, finds the best split of the
// table of the counts of ways through the state, if all other states stay what they are. What
// that gains, the likelihood of the data gains at least.

const (
	splitStarts     = 4  // random starts of the EM of a table
	splitIterations = 40 // of each
	perturbation    = .1 // of the counts of the machine to be trained, relative
	negligible      = 1e-30
)

// splits returns a split of each state.
func (u *usage) splits(o *Options, rng *rand.Rand) []*change {
	var out []*change
	for s := range int32(len(u.ways)) {
		if len(u.ways[s]) == 0 {
			continue
		}
		t := newTable(u, s, o)
		var best *split
		for range splitStarts {
			z := t.draw(rng)
			t.learn(z)
			if t.harden(z); best == nil || z.gain > best.gain {
				best = z
			}
		}
		if !(best.gain > 0) {
			// Nothing that is seen at the state tells its copies apart. What is farther
			// away may: all is left open.
			best = t.draw(rng)
			t.learn(best)
			best.gain = t.score(best)
		}
		seed := [2]uint64{rng.Uint64(), rng.Uint64()}
		out = append(out, &change{Split, best.gain, func() (*fst.FST[float64], error) {
			return u.split(t, best, rand.New(rand.NewPCG(seed[0], seed[1])))
		}})
	}
	return out
}

// table holds the counts of the ways through a state.
type table struct {
	state   int32
	opts    *Options
	in, out []int32 // the ways in and out that are used
	cells   []cell
	loopIn  []int // per way out: the way in that is the same arc, −1 if it is no loop
	input   []int32
	insert  bool // whether it has ways out that read nothing, which a coin decides on
}

// cell is a count, by positions of its way in and its way out.
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
	for _, w := range u.ways[s] {
		t.cells = append(t.cells, cell{position(&t.in, in, w.in), position(&t.out, out, w.out), w.count})
	}
	for _, e := range t.out {
		loop, input := -1, stop
		if e != stop {
			input = u.counts.In()[e]
			if i, ok := in[starts+e]; ok {
				loop = i
			}
		}
		t.loopIn, t.input = append(t.loopIn, loop), append(t.input, input)
		t.insert = t.insert || o.Normalization == Conditional && input == fst.Epsilon
	}
	return t
}

// split is a way to make two copies of a state.
type split struct {
	enter [][2]float64 // per way in: the probability of each copy; they sum to 1
	leave [2][]float64 // per copy and way out: its probability, as the normalization has it
	gain  float64      // in log posterior
}

// share returns the probability of the way out of a cell, by each copy, given its way in.
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
		z.leave[k] = t.normalize(counts)
	}
	return z
}

// normalize replaces counts of the ways out by their best probabilities.
func (t *table) normalize(counts []float64) []float64 {
	total, inserted := 0.0, 0.0
	read := map[int32]float64{}
	for f, c := range counts {
		total += c
		read[t.input[f]] += c
		if t.input[f] == fst.Epsilon {
			inserted += c
		}
	}
	for f, c := range counts {
		switch {
		case c == 0:
		case t.opts.Normalization == Joint:
			counts[f] = c / total
		default:
			p := 1.0 // of stopping
			if t.input[f] != stop {
				p = c / read[t.input[f]]
			}
			if t.insert && t.input[f] == fst.Epsilon {
				p *= inserted / total
			} else if t.insert {
				p *= (total - inserted) / total
			}
			counts[f] = p
		}
	}
	return counts
}

// learn climbs. What is 0 stays 0.
func (t *table) learn(z *split) {
	enter := make([][2]float64, len(t.in))
	for range splitIterations {
		clear(enter)
		var leave [2][]float64
		for k := range leave {
			leave[k] = make([]float64, len(t.out))
		}
		for _, c := range t.cells {
			p := z.share(c)
			for k := range p {
				if n := c.count * p[k] / (p[0] + p[1]); n > negligible*c.count {
					enter[c.in][k] += n
					leave[k][c.out] += n
				}
			}
		}
		for i, n := range enter {
			if sum := n[0] + n[1]; sum > 0 {
				z.enter[i] = [2]float64{n[0] / sum, n[1] / sum}
			}
		}
		for k := range leave {
			z.leave[k] = t.normalize(leave[k])
		}
	}
}

// harden leaves out what is not worth its parameter: ways into one of the copies, and then
// ways out of one.
func (t *table) harden(z *split) {
	t.hardenIn(z)
	t.learn(z)
	t.hardenOut(z)
	t.learn(z)
	z.gain = t.score(z)
}

func (t *table) hardenIn(z *split) {
	loss := make([][2]float64, len(t.in)) // without the copy
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

// score returns what a split gains in log posterior.
func (t *table) score(z *split) float64 {
	return t.likelihood(z) + t.opts.Prior.log(1, t.parameters(z))
}

// likelihood returns what a split gains in log likelihood.
func (t *table) likelihood(z *split) float64 {
	whole := make([]float64, len(t.out))
	for _, c := range t.cells {
		whole[c.out] += c.count
	}
	whole = t.normalize(whole)
	gain := 0.0
	for _, c := range t.cells {
		p := z.share(c)
		gain += c.count * (math.Log(p[0]+p[1]) - math.Log(whole[c.out]))
	}
	return gain
}

// parameters returns how many parameters a split adds.
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

// split returns the machine in which the state of t has two copies, the second of which is a
// new state, with counts that are a little perturbed.
func (u *usage) split(t *table, z *split, rng *rand.Rand) (*fst.FST[float64], error) {
	f := u.counts
	other := int32(f.NumStates())
	copies := [2]int32{t.state, other}
	b := fst.NewBuilder(real)
	b.SetSymbols(f.InSymbols(), f.OutSymbols())
	b.AddStates(f.NumStates() + 1)
	starts := f.Graph().Starts()
	enter := map[int32][2]float64{}
	for i, in := range t.in {
		enter[in] = z.enter[i]
	}
	noise := func() float64 { return 1 + perturbation*(2*rng.Float64()-1) }
	// into adds an arc, and one to each copy of the state that has two.
	into := func(from int32, a fst.Arc[float64], in int32) {
		if a.To != t.state {
			b.AddArc(from, a)
			return
		}
		count := a.Weight
		for k, p := range enter[in] {
			if p > 0 {
				a.To, a.Weight = copies[k], count*p*noise()
				b.AddArc(from, a)
			}
		}
	}
	for i, x := range starts {
		if x.State != t.state {
			b.AddStart(x.State, x.Weight)
			continue
		}
		for k, p := range enter[int32(i)] {
			if p > 0 {
				b.AddStart(copies[k], x.Weight*p*noise())
			}
		}
	}
	row := f.Graph().Row()
	for s := range int32(f.NumStates()) {
		if s == t.state {
			continue
		}
		for i, a := range f.AppendArcs(nil, s) {
			into(s, a, int32(len(starts))+row[s]+int32(i))
		}
		b.SetFinal(s, f.Final(s))
	}
	leave := t.leaving(z)
	for k, s := range copies {
		for i, e := range t.out {
			count := leave[k][i] * noise()
			if e == stop {
				b.SetFinal(s, count)
			} else if count > 0 {
				into(s, fst.Arc[float64]{In: f.In()[e], Out: f.Out()[e], To: f.Graph().To()[e], Weight: count}, int32(len(starts))+e)
			}
		}
	}
	return b.Freeze()
}

// leaving returns how often each copy is left by each way out.
func (t *table) leaving(z *split) [2][]float64 {
	var counts [2][]float64
	for k := range counts {
		counts[k] = make([]float64, len(t.out))
	}
	for _, c := range t.cells {
		p := z.share(c)
		for k := range p {
			counts[k][c.out] += c.count * p[k] / (p[0] + p[1])
		}
	}
	return counts
}
