package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/wordalign"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/gold"
)

// symmetrizations combine the alignments of the two directions.
var symmetrizations = map[string]func(forward, backward align.Alignment) align.Alignment{
	"grow-diag-final-and": align.GrowDiagFinalAnd,
	"grow-diag-final":     align.GrowDiagFinal,
	"grow-diag":           align.GrowDiag,
	"grow":                align.Grow,
	"intersection":        align.Intersection,
	"union":               align.Union,
	"forward":             func(forward, _ align.Alignment) align.Alignment { return forward },
	"backward":            func(_, backward align.Alignment) align.Alignment { return backward },
}

// names are the values of -combine. The default is the first, or forward without -reverse.
var names = []string{"grow-diag-final-and", "grow-diag-final", "grow-diag", "grow", "intersection", "union", "forward", "backward"}

func main() { newProgram().Main() }

// flags are the values of the flags.
type flags struct {
	links, reverse, gold, goldFrom, combine *string
	threshold                               *float64
	invert                                  *bool
	output                                  *program.Output
}

func newProgram() *program.Program {
	p := program.New("symmetrize", "symmetrize combines the word alignments of two directions, and scores them.",
		"go run ./internal/experiments/symmetrize -links fwd -reverse rev -combine union -o links",
		"go run ./internal/experiments/symmetrize -links fwd -reverse rev -test-gold gold")
	f := &flags{
		links:     p.Input("links", "read the alignments in `FILE`, lines such as 0-0 1-2, or 0-0:.9 1-2:.3 for -threshold to choose from"),
		reverse:   p.Input("reverse", "and those of the other direction in `FILE`, also E first"),
		gold:      p.Input("test-gold", "score the result by the reference alignments in `FILE`: i-j sure, i?j or ipj possible, E first"),
		goldFrom:  wordalign.NewGoldFrom(p),
		combine:   p.Flags.String("combine", "", "combine them as one `NAME` of "+strings.Join(names, ", ")+"; without -reverse it is forward"),
		threshold: p.Flags.Float64("threshold", 0, "choose links whose posterior is not less than `P`"),
		invert:    p.Flags.Bool("invert", false, "write links with F first"),
		output:    p.Output("links, such as 0-0 1-2"),
	}
	wordalign.Within(p, "threshold", f.threshold, 0, 1)
	p.Needs("reverse", "links")
	p.Check(func() error {
		if *f.combine == "" {
			if *f.combine = names[0]; *f.reverse == "" {
				*f.combine = "forward"
			}
		}
		switch {
		case *f.links == "":
			return errors.New("-links: want a file of alignments")
		case !slices.Contains(names, *f.combine):
			return fmt.Errorf("-combine %s: want one of %s", *f.combine, strings.Join(names, ", "))
		case *f.reverse == "" && *f.combine != "forward":
			return fmt.Errorf("-combine %s: want -reverse, too", *f.combine)
		}
		return nil
	})
	p.Do(f.run)
	return p
}

// run combines the alignments of -links and -reverse line by line, and scores them.
func (f *flags) run(_ context.Context, r *program.Run) error {
	var references []gold.Reference
	if *f.gold != "" {
		var err error
		if references, err = gold.Collect(gold.ReadFile(*f.gold)); err != nil {
			return err
		}
		if references, err = wordalign.FromZero(r, references, *f.gold, *f.goldFrom, nil); err != nil {
			return err
		}
	}
	total, lines := gold.Counts{}, 0
	each := func(w io.Writer) error {
		b := bufio.NewWriter(w)
		for found, err := range f.combined(symmetrizations[*f.combine], references) {
			if err != nil {
				return errors.Join(err, b.Flush())
			}
			lines++
			total = total.Plus(found.counts)
			b.WriteString(f.text(found.links) + "\n")
		}
		return b.Flush() // returns the error of any write
	}
	var err error
	if *f.gold == "" && !f.output.Given() {
		err = each(r.Out)
	} else {
		err = f.output.Write(each)
	}
	if err != nil {
		return err
	}
	r.Set("lines", lines)
	r.Set("combination", *f.combine)
	if *f.gold != "" {
		fmt.Fprintf(r.Out, "%s, %d lines: AER %.4f, precision %.4f, recall %.4f\n", *f.combine, lines, total.AER(), total.Precision(), total.Recall())
		r.Set("aer", total.AER())
		r.Set("precision", total.Precision())
		r.Set("recall", total.Recall())
	}
	return nil
}

// text returns links in the output format.
func (f *flags) text(links align.Alignment) string {
	if !*f.invert {
		return links.String()
	}
	inverted := make([]align.Link, len(links))
	for i, l := range links {
		inverted[i] = align.Link{Source: l.Target, Target: l.Source}
	}
	return align.NewAlignment(inverted).String()
}

// combined is the combination of a line, and its counts for the score.
type combined struct {
	links  align.Alignment
	counts gold.Counts
}

// combined yields the lines, each combined with the line of the other direction and compared
// with its reference, if these are given.
func (f *flags) combined(combine func(forward, backward align.Alignment) align.Alignment, references []gold.Reference) iter.Seq2[combined, error] {
	return func(yield func(combined, error) bool) {
		other, stopOther := iter.Pull2(f.alignments(*f.reverse))
		defer stopOther()
		reference, stopReference := iter.Pull(slices.Values(references))
		defer stopReference()
		line := 0
		fail := func(name string) {
			yield(combined{}, &text.Error{File: text.Name(name), Line: line, Err: errors.New("no such line: another file is longer")})
		}
		for a, err := range f.alignments(*f.links) {
			line++
			var out combined
			var b align.Alignment
			ok := true
			if err == nil && *f.reverse != "" {
				if b, err, ok = other(); !ok {
					fail(*f.reverse)
					return
				}
			}
			if err == nil {
				out.links = combine(a, b)
				if *f.gold != "" {
					r, ok := reference()
					if !ok {
						fail(*f.gold)
						return
					}
					out.counts = gold.Compare(out.links, r)
				}
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
		line++
		if _, err, more := other(); more {
			if err != nil {
				yield(combined{}, err)
				return
			}
			fail(*f.links)
			return
		}
		if _, more := reference(); more {
			fail(*f.links)
		}
	}
}

// alignments yields the alignments in a file; without a name the sequence is empty.
func (f *flags) alignments(name string) iter.Seq2[align.Alignment, error] {
	return func(yield func(align.Alignment, error) bool) {
		if name == "" {
			return
		}
		for line, err := range text.LinesOf(name) {
			var links align.Alignment
			if err == nil {
				if err = line.Err; err == nil {
					links, err = parseLinks(line.Text, *f.threshold)
				}
				if err != nil && line.Err == nil {
					err = &text.Error{File: text.Name(name), Line: line.Number, Err: err}
				}
			}
			if !yield(links, err) || err != nil {
				return
			}
		}
	}
}

// parseLinks returns the links of a line, such as 0-0 or 1-2:.7, whose posterior is at least
// the threshold. It ignores a column after a tab, which -scores writes.
func parseLinks(line string, threshold float64) (align.Alignment, error) {
	line, _, _ = strings.Cut(line, "\t")
	var links []align.Link
	for token := range strings.FieldsSeq(line) {
		pair, number, weighs := strings.Cut(token, ":")
		l, err := align.ParseLink(pair, "-")
		if err != nil {
			return nil, err
		}
		if weighs {
			p, err := strconv.ParseFloat(number, 64)
			if err != nil || !(p >= 0 && p <= 1) {
				return nil, fmt.Errorf("%w %s: posterior %s, want a number from 0 to 1", align.ErrLink, text.Quote(token), text.Quote(number))
			}
			if p < threshold {
				continue
			}
		}
		links = append(links, l)
	}
	return align.NewAlignment(links), nil
}
