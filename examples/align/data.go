package main

import (
	_ "embed"
	"errors"
	"fmt"
	"iter"
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
// Whoever wrote it has waived all rights (CC0 1.0).
//
//go:embed sentences.tsv
var sentencesTSV string

// judged is sentences with reference alignments.
type judged struct {
	sentences  []align.Sentence
	references []gold.Reference
}

// data is what to learn from, and by what to tune and to score. The sentences of dev
// and test are learned from, too, without their references.
type data struct {
	lines     iter.Seq2[bitext.Line, error] // may be read once only; nil: nothing to learn from
	unpaired  bool                          // lines that only one side has are skipped
	count     int                           // of lines, once corpus has read them
	long      map[int]align.Sentence        // by their lines, what it has cut into pieces
	learnt    map[string]int                // the sentences below by key: their numbers, unless cut
	dev, test judged                        // may be empty
	open      []bitext.Line                 // test lines without references, to be aligned
}

// files are names of files.
type files struct{ e, f, gold string }

func (n files) allOrNone() bool {
	return (n.e == "") == (n.f == "") && (n.f == "") == (n.gold == "")
}

// load reads the files of dev and test, and will read the text to learn from. Without names
// it returns the embedded data, but for a model that was loaded none.
func (x *experiment) load(r *program.Run) (*data, error) {
	if x.embedded() && !x.model.Loads() {
		return loadEmbedded()
	}
	d := &data{unpaired: *x.unpaired}
	var err error
	if d.dev, err = x.loadJudged(r, x.dev); err != nil {
		return nil, err
	}
	if x.test.gold != "" {
		d.test, err = x.loadJudged(r, x.test)
	} else if x.test.e != "" {
		d.open, err = bitext.Collect(parallel(x.test))
	}
	switch {
	case err != nil || x.embedded():
		return d, err
	case *x.bitext != "":
		d.lines = bitext.ReadJoinedFile(*x.bitext, &bitext.Options{MaxWords: anyLength})
	default:
		d.lines = parallel(x.train)
	}
	return d, nil
}

// anyLength is more words than a line has, whose bytes are bounded.
const anyLength = text.MaxLine

// parallel yields the lines of two files, see plain.
func parallel(names files) iter.Seq2[bitext.Line, error] {
	return plain(bitext.ReadFiles(names.e, names.f, &bitext.Options{MaxWords: anyLength}), &bitext.Options{Source: text.Name(names.e), Target: text.Name(names.f)})
}

// plain yields the lines of two texts, but an error if, up to the first line with words on
// both sides, one has both sentences as in a file of -bitext.
func plain(lines iter.Seq2[bitext.Line, error], names *bitext.Options) iter.Seq2[bitext.Line, error] {
	return func(yield func(bitext.Line, error) bool) {
		known := false
		for l, err := range lines {
			if !known && err == nil {
				known = len(l.Source) > 0 && len(l.Target) > 0
				switch {
				case slices.Contains(l.Source, bitext.Separator):
					err = &text.Error{File: names.Source, Line: l.Number, Err: errJoined}
				case slices.Contains(l.Target, bitext.Separator):
					err = &text.Error{File: names.Target, Line: l.Number, Err: errJoined}
				}
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

var errJoined = errors.New(bitext.Separator + " divides two sentences; such a file is for -bitext, want one sentence a line")

// loadJudged reads sentences with references. It wants each line to be in order.
func (x *experiment) loadJudged(r *program.Run, names files) (judged, error) {
	var j judged
	if names == (files{}) {
		return j, nil
	}
	references, err := gold.Collect(gold.ReadFile(names.gold))
	if err != nil {
		return j, err
	}
	for l, err := range parallel(names) {
		if err == nil {
			err = l.Problem
		}
		if err != nil {
			return j, err
		}
		j.sentences = append(j.sentences, l.Sentence)
	}
	if len(j.sentences) != len(references) {
		return j, fmt.Errorf("%s has %d lines, %s has %d sentences", names.gold, len(references), names.e, len(j.sentences))
	}
	words := func(i int) (e, f int) { return len(j.sentences[i].Source), len(j.sentences[i].Target) }
	if j.references, err = fromZero(r, references, names.gold, *x.goldFrom, words); err != nil {
		return j, err
	}
	for i, reference := range j.references {
		if err := reference.Check(words(i)); err != nil {
			return j, fmt.Errorf("%s:%d: %w", text.Name(names.gold), i+1, err)
		}
	}
	return j, nil
}

// fromZero returns references of a file with positions that count from 0. from is the value
// of -gold-from; words is as in gold.First.
func fromZero(r *program.Run, references []gold.Reference, file, from string, words func(i int) (e, f int)) ([]gold.Reference, error) {
	if from == "auto" {
		switch first, known := gold.First(references, words); {
		case first == 1:
			r.Warn("%s: positions count from 1, as no position is 0 and some last word is numbered so", text.Name(file))
			from = "1"
		case !known:
			r.Warn("%s: no position is 0, and they are taken to count from 0; if they count from 1, give -gold-from 1", text.Name(file))
		}
	}
	if from != "1" {
		return references, nil
	}
	references, err := gold.FromOne(references)
	if err != nil {
		return nil, fmt.Errorf("%s: -gold-from 1: %w", text.Name(file), err)
	}
	return references, nil
}

func loadEmbedded() (*data, error) {
	var lines []bitext.Line
	var known judged
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
			known.sentences, known.references = append(known.sentences, s), append(known.references, r)
		}
	}
	half := len(known.sentences) / 2
	return &data{
		lines: sequence(lines),
		dev:   judged{known.sentences[:half], known.references[:half]},
		test:  judged{known.sentences[half:], known.references[half:]},
	}, nil
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

// corpus returns the sentences to learn from: those of the text and, of dev and
// test, those that the text has not. What is longer than longest words is cut into pieces, and
// pairs are left out as Corpus.Prune says. What cannot be used is reported.
func (d *data) corpus(longest int, prune float64, report func(problem error)) (*align.Corpus, error) {
	more := slices.Concat(d.dev.sentences, d.test.sentences)
	for _, l := range d.open {
		if l.Problem == nil {
			more = append(more, l.Sentence)
		}
	}
	missing := map[string]bool{}
	for _, s := range more {
		missing[key(s)] = true
	}
	d.long, d.learnt = map[int]align.Sentence{}, map[string]int{}
	c := align.NewCorpus()
	c.Prune(prune)
	add := func(line int, s align.Sentence) error {
		pieces := align.Pieces(len(s.Source), len(s.Target), longest)
		if len(pieces) > 1 && line > 0 {
			d.long[line] = s
		}
		for _, w := range pieces {
			if err := c.AddLine(line, w.Of(s)); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
		}
		return nil
	}
	for l, err := range d.read() {
		if err != nil {
			return nil, err
		}
		d.count++
		if errors.Is(l.Problem, bitext.ErrUnpaired) && !d.unpaired {
			return nil, fmt.Errorf("%w (with -unpaired lines that only one text has are skipped)", l.Problem)
		}
		if l.Problem != nil {
			report(l.Problem)
			continue
		}
		before := c.Len()
		if err := add(l.Number, l.Sentence); err != nil {
			return nil, err
		}
		if len(missing) > 0 {
			if k := key(l.Sentence); missing[k] {
				d.learn(c, k, before)
				delete(missing, k)
			}
		}
	}
	for _, s := range more {
		if k := key(s); missing[k] {
			before := c.Len()
			if err := add(0, s); err != nil {
				return nil, err
			}
			d.learn(c, k, before)
		}
	}
	return c, nil
}

// learn notes that the sentence of a key was added to c, behind so many others.
func (d *data) learn(c *align.Corpus, key string, before int) {
	if c.Len() == before+1 {
		d.learnt[key] = before
	}
}

// read yields the lines of the text, none where there is none.
func (d *data) read() iter.Seq2[bitext.Line, error] {
	if d.lines == nil {
		return sequence(nil)
	}
	return d.lines
}

// sentences returns how many there are beside the text.
func (d *data) sentences() int {
	return len(d.dev.sentences) + len(d.test.sentences) + len(d.open)
}

// key is the text of a sentence.
func key(s align.Sentence) string {
	return strings.Join(s.Source, " ") + "\t" + strings.Join(s.Target, " ")
}
