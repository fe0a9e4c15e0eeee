package merge

import (
	"cmp"
	"slices"

	"example.org/pathsum/fst"
)

// quotients computes the gains of merges. A gain is computed from the expected counts with all
// paths unchanged: a class has the sum of its states' counts, and parallel arcs become one.
type quotients struct {
	opts   *Options
	use    *usage
	states int32
	arcs   [][]fst.Arc[float64] // of every state
	before [][]int32            // per state: its predecessors
	from   []int32              // per arc: its source state
	alone  []float64            // the value of every state
	// The current merge. A class is identified by its leader, and members lists the class at the
	// leader.
	leader  []int32
	members [][]int32
	merged  []int32 // states in classes of two or more
	round   int32
	seen    []int32 // per leader: the last round that valued its class
	buffer  []fst.Arc[float64]
	shared  []visit
}

func newQuotients(u *usage, o *Options) *quotients {
	q := &quotients{opts: o, use: u, states: int32(u.counts.NumStates())}
	q.before, q.seen = make([][]int32, q.states), make([]int32, q.states)
	for s := range q.states {
		q.arcs = append(q.arcs, u.counts.AppendArcs(nil, s))
		q.leader = append(q.leader, s)
		q.members = append(q.members, []int32{s})
		for _, a := range q.arcs[s] {
			q.from = append(q.from, s)
			if b := q.before[a.To]; len(b) == 0 || b[len(b)-1] != s {
				q.before[a.To] = append(b, s)
			}
		}
	}
	for s := range q.states {
		q.alone = append(q.alone, q.value(s))
	}
	return q
}

// changes returns the most promising merges of a kind.
func (q *quotients) changes(kind Moves) []*change {
	type pair struct {
		a, b int32
		gain float64
	}
	n := q.opts.Candidates
	var best []pair
	for b := range q.states {
		for a := range b {
			x := pair{a, b, 0}
			if len(best) == n {
				x.gain = best[n-1].gain
			}
			var ok bool
			if x.gain, ok = q.gain(a, b, kind, len(best) == n, x.gain); !ok {
				continue
			}
			i, _ := slices.BinarySearchFunc(best, x, func(a, b pair) int { return cmp.Or(cmp.Compare(b.gain, a.gain), -1) })
			best = slices.Insert(best, i, x)
			best = best[:min(n, len(best))]
		}
	}
	var out []*change
	for _, x := range best {
		class := q.classes(x.a, x.b, kind)
		out = append(out, &change{kind, x.gain, func() (*fst.FST[float64], error) { return fst.Quotient(q.use.counts, class, nil) }})
	}
	return out
}

// gain returns the gain of merging a and b. It returns false if the merge leaves too few states
// or, if limited, if the gain is at most limit.
func (q *quotients) gain(a, b int32, kind Moves, limited bool, limit float64) (gain float64, ok bool) {
	q.join(a, b, kind)
	defer q.undo()
	left := int(q.states)
	for _, s := range q.merged {
		if q.leader[s] != s {
			left--
		}
	}
	if left < q.opts.MinStates {
		return 0, false
	}
	q.round++
	revalue := func(s int32) {
		l := q.leader[s]
		if q.seen[l] == q.round {
			return
		}
		q.seen[l] = q.round
		gain += q.value(l)
		for _, m := range q.members[l] {
			gain -= q.alone[m]
		}
	}
	for _, s := range q.merged {
		revalue(s)
		for _, p := range q.before[s] {
			revalue(p)
		}
	}
	gain += q.starts()
	if kind == Merge && (!limited || gain > limit) {
		for _, s := range q.merged {
			if q.leader[s] == s {
				gain -= q.forgotten(s)
			}
		}
	}
	return gain, !limited || gain > limit
}

// starts returns the gain from merging start weights.
func (q *quotients) starts() float64 {
	gain := 0.0
	all := q.use.counts.Graph().Starts()
	for i, x := range all {
		l := q.leader[x.State]
		for _, y := range all[:i] {
			if q.leader[y.State] == l {
				gain += times(x.Weight+y.Weight) - times(x.Weight) - times(y.Weight) + q.opts.Prior.Parameter
				break // exact for two starts in a class, an estimate for more
			}
		}
	}
	return gain
}

// classes returns the classes of all states when a and b are merged.
func (q *quotients) classes(a, b int32, kind Moves) []int32 {
	q.join(a, b, kind)
	class := make([]int32, q.states)
	next := int32(0)
	for s := range class {
		if l := q.leader[s]; l == int32(s) {
			class[s] = next
			next++
		} else {
			class[s] = class[l]
		}
	}
	q.undo()
	return class
}

// join puts a and b in one class and folds the continuations: if an arc of each former class has
// the same labels, their target states are merged too, and so on. The leader of a class is its
// smallest state.
func (q *quotients) join(a, b int32, kind Moves) {
	a, b = q.leader[a], q.leader[b]
	if a == b {
		return
	}
	if a > b {
		a, b = b, a
	}
	type labels struct{ in, out int32 }
	var to map[labels]int32
	if kind == Fold {
		to = map[labels]int32{}
		for _, s := range q.members[a] {
			for _, x := range q.arcs[s] {
				to[labels{x.In, x.Out}] = x.To
			}
		}
	}
	for _, s := range []int32{a, b} {
		if len(q.members[s]) == 1 {
			q.merged = append(q.merged, s)
		}
	}
	theirs := q.members[b]
	for _, s := range theirs {
		q.leader[s] = a
	}
	q.members[a] = append(q.members[a], theirs...)
	for _, s := range theirs {
		for _, x := range q.arcs[s] {
			if t, ok := to[labels{x.In, x.Out}]; ok {
				q.join(t, x.To, kind)
			}
		}
	}
}

// undo restores singleton classes.
func (q *quotients) undo() {
	for _, s := range q.merged {
		q.leader[s] = s
		q.members[s] = q.members[s][:1]
	}
	q.merged = q.merged[:0]
}

// value returns the contribution of the class of leader s to the log posterior: the log
// likelihood of its choices at their maximum likelihood probabilities, and the prior.
func (q *quotients) value(s int32) float64 {
	out, final := q.buffer[:0], 0.0
	for _, t := range q.members[s] {
		final += q.use.counts.Final(t)
		for _, a := range q.arcs[t] {
			a.To = q.leader[a.To]
			out = append(out, a)
		}
	}
	q.buffer = out
	slices.SortFunc(out, byLabel)
	sum, total, parameters := 0.0, final, 0
	if final > 0 {
		parameters++
	}
	inserted := 0.0
	for i := 0; i < len(out); {
		group, in := 0.0, out[i].In
		for i < len(out) && out[i].In == in {
			count, a := 0.0, out[i]
			for ; i < len(out) && byLabel(out[i], a) == 0; i++ {
				count += out[i].Weight
			}
			sum += times(count)
			group += count
			parameters++
		}
		total += group
		if q.opts.Normalization == Conditional {
			sum -= times(group)
			if in == fst.Epsilon {
				inserted = group
			}
		}
	}
	if q.opts.Normalization == Joint {
		sum += times(final) - times(total)
	} else if inserted > 0 {
		sum += times(inserted) + times(total-inserted) - times(total)
	}
	return sum + q.opts.Prior.log(1, parameters)
}

func byLabel(a, b fst.Arc[float64]) int {
	return cmp.Or(cmp.Compare(a.In, b.In), cmp.Compare(a.Out, b.Out), cmp.Compare(a.To, b.To))
}

// visit is a way through a member of a class, expressed in the merged machine.
type visit struct {
	in, out fst.Arc[int32] // Weight is the source class; −1 for a start or stop
	member  int32
	count   float64
}

func (v *visit) compare(w *visit) int {
	return cmp.Or(compareArcs(v.in, w.in), compareArcs(v.out, w.out))
}

func compareArcs(a, b fst.Arc[int32]) int {
	return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.In, b.In), cmp.Compare(a.Out, b.Out), cmp.Compare(a.To, b.To))
}

// forgotten returns an upper bound, in nats, of the information that the paths lose when the
// class of leader s becomes one state: the member, where neither the way in nor the way out
// determines it. By Jensen's inequality, the likelihood gains at least the value minus this
// bound.
func (q *quotients) forgotten(s int32) float64 {
	starts := int32(len(q.use.counts.Graph().Starts()))
	arc := func(e int32) fst.Arc[int32] {
		f := q.use.counts
		return fst.Arc[int32]{In: f.In()[e], Out: f.Out()[e], To: q.leader[f.Graph().To()[e]], Weight: q.leader[q.from[e]]}
	}
	all := q.shared[:0]
	for _, t := range q.members[s] {
		for _, w := range q.use.ways[t] {
			v := visit{member: t, count: w.count, in: fst.Arc[int32]{Weight: -1}, out: fst.Arc[int32]{Weight: -1}}
			if w.in >= starts {
				v.in = arc(w.in - starts)
			}
			if w.out != stop {
				v.out = arc(w.out)
			}
			all = append(all, v)
		}
	}
	q.shared = all
	slices.SortFunc(all, func(v, w visit) int { return cmp.Or(v.compare(&w), cmp.Compare(v.member, w.member)) })
	lost := 0.0
	for i := 0; i < len(all); {
		total, first := 0.0, i
		for i < len(all) && all[i].compare(&all[first]) == 0 {
			count, member := 0.0, all[i].member
			for ; i < len(all) && all[i].member == member && all[i].compare(&all[first]) == 0; i++ {
				count += all[i].count
			}
			lost -= times(count)
			total += count
		}
		lost += times(total)
	}
	return lost
}
