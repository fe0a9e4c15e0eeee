package fst

// anyLabel stands for no condition on a label.
const anyLabel = -1

// lazy is a machine whose arcs are made when they are asked for: all arcs of a
// state, or those with a given label on one tape. It keeps what it made.
type lazy[W any] struct {
	source  source[W]
	made    []Arc[W]
	in, out answers // to questions about one tape, unconditional ones in out
	limit   int     // on the number of arcs made
	full    bool    // arcs are missing because of the limit
}

// source is how a lazy machine makes arcs.
type source[W any] interface {
	// generate appends the arcs of state s with the labels in and out to dst, one of
	// which at least is anyLabel. Where the limit forbids it, it sets full.
	generate(dst []Arc[W], s, in, out int32) []Arc[W]
	// estimate returns about how many arcs leave state s, at little cost, and always the
	// same: the order of a composition's arcs depends on it.
	estimate(s int32) int
}

// answers are the questions asked so far, pairs of a state and a label + 1, with
// the part of made that is the answer. A question without a label has 0 in its
// place.
type answers struct {
	labels int64 // all labels are less
	asked  pairTable
	spans  []span
}

// span stands for the positions lo … hi−1.
type span struct{ lo, hi int32 }

func (x *answers) reset(labels int64) {
	x.labels = labels
	x.asked.reset(manyStates, labels+1)
	x.spans = x.spans[:0]
}

// reset empties l for a machine whose labels are less than in and out.
func (l *lazy[W]) reset(in, out int64) {
	l.made, l.limit, l.full = l.made[:0], maxLimit, false
	l.in.reset(in)
	l.out.reset(out)
}

// all, byIn and byOut return the arcs of state s: all of them, or those with one
// label.
func (l *lazy[W]) all(s int32) []Arc[W] { return l.byOut(s, anyLabel) }

func (l *lazy[W]) byIn(s, label int32) []Arc[W] {
	if int64(label) >= l.in.labels {
		return nil
	}
	if n := l.in.asked.at(s, int64(label)+1); n >= 0 {
		at := l.in.spans[n]
		return l.made[at.lo:at.hi]
	}
	return l.answer(&l.in, s, label, anyLabel, label)
}

func (l *lazy[W]) byOut(s, label int32) []Arc[W] {
	if int64(label) >= l.out.labels {
		return nil
	}
	if n := l.out.asked.at(s, int64(label)+1); n >= 0 {
		at := l.out.spans[n]
		return l.made[at.lo:at.hi]
	}
	return l.answer(&l.out, s, anyLabel, label, label)
}

// answer makes the arcs with the labels in and out, unless the question about
// label is in the hash table of x.
func (l *lazy[W]) answer(x *answers, s, in, out, label int32) []Arc[W] {
	if x.asked.hashed() {
		if n := x.asked.table.Find(pairKey(s, int64(label)+1)); n >= 0 {
			at := x.spans[n]
			return l.made[at.lo:at.hi]
		}
	}
	lo := len(l.made)
	l.made = l.source.generate(l.made, s, in, out)
	if l.full { // not all of them, so they do not count
		l.made = l.made[:lo]
		return nil
	}
	x.asked.add(s, int64(label)+1)
	x.spans = append(x.spans, span{int32(lo), int32(len(l.made))})
	return l.made[lo:]
}

// fits reports whether k arcs can be appended to dst.
func (l *lazy[W]) fits(dst []Arc[W], k int) bool {
	if len(dst)+k > l.limit {
		l.full = true
	}
	return !l.full
}
