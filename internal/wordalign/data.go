package wordalign

import (
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/bitext"
	"example.org/pathsum/models/align/gold"
)

// sentencesTSV is the default data: English<TAB>German[<TAB>reference alignment].
// Its author has waived all rights (CC0 1.0).
//
//go:embed sentences.tsv
var sentencesTSV string

// Data has the training text, and sentences for tuning and scoring. The sentences of Dev and
// Test are also used for training, without their references.
type Data struct {
	Corpus    *align.Corpus
	Lines     int    // of the text, including lines that are not in Corpus
	Dev, Test Judged // may be empty

	long map[int]align.Sentence // by line, the sentences that Corpus has in pieces
	// learnt has the indices in Corpus of the sentences of Dev and Test that are not in pieces.
	learnt map[string]int
}

// Read reads the text that the flags name, or else the embedded one, and the sentences with
// references. It prunes word pairs by Corpus.Prune. Lines that cannot be used are skipped; too
// many are an error.
func (t *Texts) Read(r *program.Run, prune float64) (*Data, error) {
	d := new(Data)
	lines, err := t.training(r, d)
	if err != nil {
		return nil, err
	}
	s := r.Skipping()
	if err := d.read(lines, t, prune, s.Skips); err != nil {
		return nil, err
	}
	if err := s.End(); err != nil {
		return nil, err
	}
	if d.Corpus.Len() == 0 {
		return nil, errors.New("no sentences to learn from")
	}
	return d, nil
}

// training returns the training lines, and reads Dev and Test.
func (t *Texts) training(r *program.Run, d *Data) (iter.Seq2[bitext.Line, error], error) {
	if t.Embedded() {
		return d.embedded()
	}
	return t.lines(), t.references(r, d)
}

// ReadNew reads the sentences with references and a text to align with a loaded model; the text
// may be missing. Problems of lines are reported, and these lines keep their numbers.
func (t *Texts) ReadNew(r *program.Run) (*Data, error) {
	d, problems := new(Data), 0
	if err := t.references(r, d); err != nil {
		return nil, err
	}
	lines := sequence(nil)
	if !t.Embedded() {
		lines = t.lines()
	}
	err := d.read(lines, t, 0, func(problem error) bool {
		if problem != nil {
			problems++
			r.Warn("%w", problem)
		}
		return problem != nil
	})
	r.Set("problems", problems)
	return d, err
}

// references reads the sentences with references.
func (t *Texts) references(r *program.Run, d *Data) (err error) {
	if d.Dev, err = t.judged(r, t.dev); err == nil {
		d.Test, err = t.judged(r, t.test)
	}
	return err
}

// embedded returns the embedded sentences. The first half of the sentences with references is
// for Dev, the second half for Test.
func (d *Data) embedded() (iter.Seq2[bitext.Line, error], error) {
	var lines []bitext.Line
	var known Judged
	for row, err := range tsv.Rows(strings.NewReader(sentencesTSV), "sentences.tsv", 2, 3) {
		if err != nil {
			return nil, err
		}
		s := align.Sentence{Source: strings.Fields(row.Columns[0]), Target: strings.Fields(row.Columns[1])}
		lines = append(lines, bitext.Line{Number: row.Line, Sentence: s})
		if len(row.Columns) == 3 {
			r, err := gold.Parse(row.Columns[2])
			if err != nil {
				return nil, &text.Error{File: "sentences.tsv", Line: row.Line, Err: err}
			}
			known.Sentences, known.References = append(known.Sentences, s), append(known.References, r)
		}
	}
	half := len(known.Sentences) / 2
	d.Dev = Judged{known.Sentences[:half], known.References[:half]}
	d.Test = Judged{known.Sentences[half:], known.References[half:]}
	return sequence(lines), nil
}

// sequence yields lines.
func sequence(lines []bitext.Line) iter.Seq2[bitext.Line, error] {
	return func(yield func(bitext.Line, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// read makes a corpus of the lines and of the sentences of Dev and Test that are not among
// them. It calls skips with the problem of each line, or nil; skips reports whether to skip the
// line.
func (d *Data) read(lines iter.Seq2[bitext.Line, error], t *Texts, prune float64, skips func(problem error) bool) error {
	more := slices.Concat(d.Dev.Sentences, d.Test.Sentences)
	missing := map[string]bool{}
	for _, s := range more {
		missing[key(s)] = true
	}
	d.long, d.learnt = map[int]align.Sentence{}, map[string]int{}
	d.Corpus = align.NewCorpus()
	d.Corpus.Prune(prune)
	for l, err := range lines {
		if err != nil {
			return err
		}
		d.Lines++
		if errors.Is(l.Problem, bitext.ErrUnpaired) && !*t.unpaired {
			return fmt.Errorf("%w (with -unpaired lines that only one text has are skipped)", l.Problem)
		}
		if skips(l.Problem) {
			continue
		}
		if err := d.add(l.Number, l.Sentence, *t.Longest, missing); err != nil {
			return err
		}
	}
	// A sentence that the text lacks is added each time that it occurs in Dev and Test: repetitions
	// are data.
	absent := maps.Clone(missing)
	for _, s := range more {
		if absent[key(s)] {
			if err := d.add(0, s, *t.Longest, missing); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a sentence, in pieces of at most longest words, and removes it from missing.
func (d *Data) add(line int, s align.Sentence, longest int, missing map[string]bool) error {
	pieces := align.Pieces(len(s.Source), len(s.Target), longest)
	if len(pieces) > 1 && line > 0 {
		d.long[line] = s
	}
	if len(missing) > 0 {
		if k := key(s); missing[k] {
			delete(missing, k)
			if len(pieces) == 1 {
				d.learnt[k] = d.Corpus.Len()
			}
		}
	}
	for _, w := range pieces {
		if err := d.Corpus.AddLine(line, w.Of(s)); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return nil
}

// key is the text of a sentence.
func key(s align.Sentence) string {
	return strings.Join(s.Source, " ") + "\t" + strings.Join(s.Target, " ")
}

// Place is a sentence of the text.
type Place struct {
	align.Sentence
	Line   int // from 1
	Number int // index in Corpus; -1 if Corpus has it in pieces
}

// Places yields the sentences of the text, in the order of their lines.
func (d *Data) Places() iter.Seq2[Place, error] {
	return func(yield func(Place, error) bool) {
		last := 0
		for n := range d.Corpus.Len() {
			line := d.Corpus.Line(n)
			if line == last || line == 0 { // another piece, or not a line of the text
				continue
			}
			last = line
			p := Place{Line: line, Number: -1}
			var long bool
			if p.Sentence, long = d.long[line]; !long {
				p.Sentence, p.Number = d.Corpus.Sentence(n), n
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

// Posteriors has the posteriors of a sentence in the two directions.
type Posteriors struct{ Forward, Backward *align.Posterior }

// Posteriors returns the posteriors of a sentence by a model trained on d. For a sentence of
// Dev or Test it removes the sentence's own counts: see Model.PosteriorsOf.
func (d *Data) Posteriors(m *align.Model, s align.Sentence) (p Posteriors, err error) {
	if n, ok := d.learnt[key(s)]; ok {
		return d.PosteriorsOf(m, n)
	}
	p.Forward, p.Backward, err = m.Posteriors(s)
	return p, err
}

// PosteriorsOf returns the posteriors of a sentence of Corpus that m was trained on.
func (d *Data) PosteriorsOf(m *align.Model, n int) (p Posteriors, err error) {
	p.Forward, p.Backward, err = m.PosteriorsOf(d.Corpus, n)
	return p, err
}
