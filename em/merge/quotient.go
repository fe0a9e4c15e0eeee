package merge

import (
	"cmp"
	"slices"

	"example.org/pathsum/fst"
)

// quotients tries merges of states. What merging gains is taken from the expected counts, as
// if paths stayed what they are: the states of a class have the sum of their counts, and
// arcs that become parallel are one.
type quotients struct {
	opts   *Options
	use    *usage
	states int32
	arcs   [][]fst.Arc[float64] // of every state
	before [][]int32            // per state: those with an arc to it
	from   []int32              // per arc: its state
	alone  []float64            // the value of every state
	// The merge being tried: the class of a state belongs to its leader, and the
	// members of a class are listed at the leader.
	leader  []int32
	members [][]int32
	merged  []int32 // states that have a leader other than themselves, and leaders of others
	round   int32
	seen    []int32 // per state: the last round in which its class was valued
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

// gain returns what merging a and b gains, false if it leaves too few states or, where
// there is a limit, gains no more than that.
func (q *quotients) gain(a, b int32, kind Moves, limited bool, limit float64) (gain float64, ok bool) {
	q.join(a, b, kind)
	defer q.undo()
	left := int(q.states)
	for _, s := range q.merged {
		if q.leader[s] != s {
			left--
		}
	}
	if left < q.opts.Least {
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

// starts returns what is gained where states with starts are merged.
func (q *quotients) starts() float64 {
	gain := 0.0
	all := q.use.counts.Graph().Starts()
	for i, x := range all {
		l := q.leader[x.State]
		for _, y := range all[:i] {
			if q.leader[y.State] == l {
				gain += times(x.Weight+y.Weight) - times(x.Weight) - times(y.Weight) + q.opts.Prior.Parameter
				break // of two that are merged; of more it is an estimate
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

// join puts a and b in one class, and folds what follows: if two arcs with the same labels
// leave it, one from each of the classes it was made of, the states they lead to are merged,
// and so on. The leader of a class is its least state.
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

// undo takes all classes apart.
func (q *quotients) undo() {
	for _, s := range q.merged {
		q.leader[s] = s
		q.members[s] = q.members[s][:1]
	}
	q.merged = q.merged[:0]
}

// value returns what the class of leader s contributes to the log posterior: the log
// likelihood of its choices at their best probabilities, and the prior.
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

// visit is a way through a member of a class, as the merged machine has it.
type visit struct {
	in, out fst.Arc[int32] // Weight is the class it comes from, −1 for a start or to stop
	member  int32
	count   float64
}

func (v *visit) compare(w *visit) int {
	return cmp.Or(compareArcs(v.in, w.in), compareArcs(v.out, w.out))
}

func compareArcs(a, b fst.Arc[int32]) int {
	return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.In, b.In), cmp.Compare(a.Out, b.Out), cmp.Compare(a.To, b.To))
}

// forgotten bounds, in nats, what the paths no longer say when the class of leader s is one
// state: which member was visited, where neither the way in nor the way out tells. The
// likelihood gains at least the value less that, by Jensen's inequality.
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
