package em

// ledger is what the methods that see one block of shards at a time remember of
// each block: its log likelihood and its underivable examples when last seen. The
// first iteration sees all blocks, so that no parameter is thought useless because
// the first block does not need it; each later one sees the next block.
type ledger struct {
	LogLikelihood []float64
	Skipped       [][]Skipped
	Refused       int // iterations that saw none
}

// blocks returns the number of blocks of so many shards each.
func blocks(shards, each int) int { return (shards + each - 1) / each }

// due returns the blocks of the next iteration.
func (l *ledger) due(t *trainer, s *start, each int) (first, last int) {
	n := blocks(t.likelihood.Shards(), each)
	if l.LogLikelihood == nil {
		return 0, n
	}
	b := (len(s.Objective) - 1 - l.Refused) % n
	return b, b + 1
}

// ask returns the E steps of the next iteration, one for each block.
func (l *ledger) ask(t *trainer, s *start, each int) []Query {
	var qs []Query
	first, last := l.due(t, s, each)
	for b := first; b < last; b++ {
		q := t.query(s.Theta)
		q.Lo, q.Hi = b*each, min((b+1)*each, t.likelihood.Shards())
		qs = append(qs, q)
	}
	return qs
}

// enter notes what the E steps found and returns the first block they saw. The
// point's objective is the sum of what was last seen of each block, plus prior.
func (l *ledger) enter(t *trainer, s *start, each int, found []*Expectations) (first int, p point) {
	first, last := l.due(t, s, each)
	if l.LogLikelihood == nil {
		l.LogLikelihood, l.Skipped = make([]float64, last), make([][]Skipped, last)
	}
	for i, e := range found {
		l.LogLikelihood[first+i], l.Skipped[first+i] = e.LogLikelihood, e.Skipped
	}
	p.period = len(l.LogLikelihood)
	for b, v := range l.LogLikelihood {
		p.logLikelihood += v
		p.skipped = append(p.skipped, l.Skipped[b]...)
	}
	p.objective = p.logLikelihood/t.opts.Temperature + t.params.LogPrior(s.Theta)
	return first, p
}

// sum returns the counts of all E steps of an iteration, those of one block times
// their number: an estimate of the counts of all data.
func (l *ledger) sum(found []*Expectations) []float64 {
	scale := 1.0
	if len(found) == 1 {
		scale = float64(len(l.LogLikelihood))
	}
	total := make([]float64, len(found[0].Counts))
	for _, e := range found {
		for i, c := range e.Counts {
			total[i] += scale * c
		}
	}
	return total
}
