package align

import (
	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	token "example.org/pathsum/internal/text"
)

// Shard returns what Fit trains in a stage, for sentences that are one shard of the corpus of
// the model and in a process that has none of the others: an em.Divisible of one shard. The
// model is that of FitOptions.Via, by Save and Load. Links are numbered by its lexicon, so the
// time to make it is in proportion to the cells, and a search for each.
//
// The error wraps ErrInvalid for a stage with other positions than the model's, no sentences,
// or one that was not in the corpus.
func (m *Model) Shard(sentences []Sentence, s Stage) (em.Divisible, error) {
	if fault := s.fault(); fault != "" {
		return nil, invalid("%s", fault)
	}
	if s.Positions != m.kind {
		return nil, invalid("a stage of other positions than the model's")
	}
	c := NewCorpus()
	c.words, c.whole, c.least = [2]*vocabulary{m.sides[0].words, m.sides[1].words}, true, m.least
	for n, x := range sentences {
		if err := m.knows(x); err != nil {
			return nil, nested.Errorf("sentence %d of the shard: %w", n, err)
		}
		if err := c.Add(x); err != nil {
			return nil, nested.Errorf("sentence %d of the shard: %w", n, err)
		}
	}
	if c.Len() == 0 {
		return nil, invalid("no sentences in a shard")
	}
	cells, err := searchCells(c, m.searcher())
	if err != nil {
		return nil, err
	}
	l, err := m.stage(s, new(FitOptions), cells, &prior{law: em.Multinomial{}}, nil)
	if err != nil {
		return nil, err
	}
	return l.Likelihood.(em.Divisible), nil
}

// knows returns an error if a sentence has a word that the model has not seen.
func (m *Model) knows(x Sentence) error {
	for side, words := range [2][]string{x.Source, x.Target} {
		for _, w := range words {
			if m.sides[side].words.find(w) == unknown {
				return invalid("the word %s of the %s was not in the corpus of the model", token.Quote(w), sideNames[side])
			}
		}
	}
	return nil
}

// searchCells is newCells where c has few of the pairs of the lexicon.
func searchCells(c *Corpus, s *search) (*cells, error) {
	x := emptyCells(c, s.lexicon)
	var slots []int32
	for n := range c.Len() {
		e, f := c.text[0].sentence(n), c.text[1].sentence(n)
		slots = s.slots(slots[:0], e, f)
		for k, slot := range slots {
			if slot == unknown && c.least == 0 {
				return nil, invalid("sentence %d of the shard: the pair %s and %s was in no sentence of the corpus of the model",
					n, token.Quote(c.words[0].words[e[k/len(f)]]), token.Quote(c.words[1].words[f[k%len(f)]]))
			}
			rank := int32(unknown)
			if slot != unknown {
				rank = slot - s.lexicon.row[e[k/len(f)]]
			}
			x.set(x.first[n]+k, rank)
		}
	}
	return x, nil
}
