package main

import (
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/pairgram"
)

// pairsTSV is the default data: Spanish words with their sounds, by the rules of Spanish
// spelling.
//
//go:embed pairs.tsv
var pairsTSV string

// Without a file of their own each testPart-th pair of the data is a test pair, and each
// devPart-th one of the rest is one to choose settings by, if there is a choice.
const (
	testPart = 8
	devPart  = 10
)

// columns say how words and targets are written.
type columns struct {
	Word, Target script.Column
	Swapped      bool // the target is the first column of a file
}

// in returns the columns with the symbols of a form.
func (c columns) in(f script.Form) columns {
	c.Word.Form, c.Target.Form = f, f
	return c
}

// first returns the column that comes first in a file.
func (c *columns) first() *script.Column {
	if c.Swapped {
		return &c.Target
	}
	return &c.Word
}

// spaced returns the name of the columns that are cut at spaces, a value of -spaced.
func (c columns) spaced() string {
	for _, name := range spacings {
		if word, target := spacedColumns(name, c.Swapped); word == c.Word.Spaced && target == c.Target.Spaced {
			return name
		}
	}
	panic("g2p: no name for columns") // there are four
}

// sides returns the word and the target of a pair.
func (c columns) sides(p *tsv.Pair) (word, target string) {
	if c.Swapped {
		return p.Right, p.Left
	}
	return p.Left, p.Right
}

// part is pairs of a file.
type part struct {
	file  string
	pairs []tsv.Pair
}

// corpus is the pairs to learn from, to choose settings by and to be tested with.
type corpus struct {
	columns
	readings         []columns // to choose from
	train, dev, test part
}

// item is a pair of symbols.
type item struct {
	where        string // file and line
	word, target []string
	count        float64
}

// read reads the pairs of a file.
func read(file string) (part, error) {
	pairs, err := tsv.Collect(tsv.PairsOf(file))
	return part{file, pairs}, err
}

// items returns the pairs as symbols.
func (c columns) items(p part) []item {
	items := make([]item, len(p.pairs))
	for i := range p.pairs {
		word, target := c.sides(&p.pairs[i])
		items[i] = item{fmt.Sprintf("%s:%d", p.file, p.pairs[i].Line), c.Word.Split(word), c.Target.Split(target), p.pairs[i].Count}
	}
	return items
}

// loadCorpus reads the files of the experiment.
func (e *experiment) loadCorpus() (*corpus, error) {
	c := new(corpus)
	var err error
	if *e.data == "" {
		c.train.file = "pairs.tsv"
		c.train.pairs, err = tsv.Collect(tsv.Pairs(strings.NewReader(pairsTSV), c.train.file))
	} else {
		c.train, err = read(*e.data)
	}
	if err != nil {
		return nil, err
	}
	c.Swapped = *e.swap
	first, second := c.texts()
	c.Word.Spaced, c.Target.Spaced = script.Spaced(slices.Collect(first)), script.Spaced(slices.Collect(second))
	if *e.spaced != "" {
		c.Word.Spaced, c.Target.Spaced = spacedColumns(*e.spaced, *e.swap)
	}
	switch {
	case *e.test != "":
		c.test, err = read(*e.test)
	case *e.apply == "": // what is not to be tested learns from all
		c.train, c.test = c.train.divide(testPart)
	}
	if err != nil {
		return nil, err
	}
	c.readings = e.readingsOf(c)
	if *e.dev != "" {
		c.dev, err = read(*e.dev)
	} else if len(e.settings())*len(c.readings) > 1 || *e.classes == 0 {
		c.train, c.dev = c.train.divide(devPart)
	}
	if err == nil && len(c.train.pairs) == 0 {
		err = errors.New("no pairs to learn from")
	}
	return c, err
}

// spacings are the values of -spaced.
var spacings = []string{"none", "first", "second", "both"}

// spacedColumns returns which columns are cut at spaces, as the flag says.
func spacedColumns(name string, swapped bool) (word, target bool) {
	word, target = name == "first" || name == "both", name == "second" || name == "both"
	if swapped {
		word, target = target, word
	}
	return word, target
}

// texts returns the words and the targets of the training pairs.
func (c *corpus) texts() (words, targets iter.Seq[string]) {
	side := func(which int) iter.Seq[string] {
		return func(yield func(string) bool) {
			for i := range c.train.pairs {
				word, target := c.sides(&c.train.pairs[i])
				if !yield([]string{word, target}[which]) {
					return
				}
			}
		}
	}
	return side(0), side(1)
}

// readingsOf returns the ways to cut the columns into symbols to choose from: each with all forms
// of characters. The spaces of the first column may stand between symbols or between the words of
// a phrase; the second one is target symbols, as the format says.
func (e *experiment) readingsOf(c *corpus) []columns {
	cuts := []columns{c.columns}
	if *e.spaced == "" && c.first().Spaced && c.hasPhrases() {
		phrases := c.columns
		phrases.first().Spaced = false
		cuts = append(cuts, phrases)
	}
	var all []columns
	for _, cut := range cuts {
		for _, f := range e.forms(c, cut) {
			all = append(all, cut.in(f))
		}
	}
	return all
}

// hasPhrases reports whether most of what stands between the spaces of the first column has
// several characters, as words have; symbols may have several, too.
func (c *corpus) hasPhrases() bool {
	pieces, several := 0, 0
	for i := range c.train.pairs {
		for _, piece := range tsv.Symbols(c.train.pairs[i].Left) {
			pieces++
			if utf8.RuneCountInString(script.Composed.Of(piece)) > 1 {
				several++
			}
		}
	}
	return 2*several > pieces
}

// forms returns the forms of characters to choose from in columns of c: what the flag says, or
// those that tell the training pairs apart.
func (e *experiment) forms(c *corpus, in columns) []script.Form {
	if *e.normalize != "" {
		f, err := script.ParseForm(*e.normalize)
		if err == nil { // as the flags have been checked
			return []script.Form{f}
		}
	}
	words, targets := c.texts()
	if forms := script.Forms(in.Word, words); len(forms) > 1 {
		return forms
	}
	return script.Forms(in.Target, targets)
}

// divide returns all pairs but each n-th, and those.
func (p part) divide(n int) (most, some part) {
	most.file, some.file = p.file, p.file
	most.pairs, some.pairs = program.HoldOut(p.pairs, n)
	return most, some
}

// symbols are the names of the symbols of both sides.
type symbols struct{ word, target *fst.Symbols }

// encode returns items as training pairs, and the names of their symbols.
func encode(items []item) ([]pairgram.Pair, symbols) {
	s := symbols{fst.NewSymbols(), fst.NewSymbols()}
	add := func(table *fst.Symbols, names []string) []int32 {
		labels := make([]int32, len(names))
		for i, name := range names {
			labels[i] = table.Add(name)
		}
		return labels
	}
	pairs := make([]pairgram.Pair, len(items))
	for i, x := range items {
		pairs[i] = pairgram.Pair{Source: add(s.word, x.word), Target: add(s.target, x.target), Weight: em.Times(x.count), Name: x.where}
	}
	return pairs, s
}

// words returns the different words of items, in order, and the targets of each.
func words(items []item) (words [][]string, targets map[string][][]string) {
	targets = map[string][][]string{}
	for _, x := range items {
		k := key(x.word)
		if _, ok := targets[k]; !ok {
			words = append(words, x.word)
		}
		targets[k] = append(targets[k], x.target)
	}
	return words, targets
}

// key returns a string that tells lists of symbols apart.
func key(symbols []string) string { return strings.Join(symbols, "\t") }
