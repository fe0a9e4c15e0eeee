package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/gold"
)

// symmetrizations make one alignment of those of the two directions.
var symmetrizations = map[string]func(forward, backward align.Alignment) align.Alignment{
	"intersection":        align.Intersection,
	"union":               align.Union,
	"grow-diag":           align.GrowDiag,
	"grow-diag-final":     align.GrowDiagFinal,
	"grow-diag-final-and": align.GrowDiagFinalAnd,
	"forward":             func(forward, _ align.Alignment) align.Alignment { return forward },
	"backward":            func(_, backward align.Alignment) align.Alignment { return backward },
}

// symmetrize combines the alignments of -links and -reverse line by line, and scores them.
func (x *experiment) symmetrize(r *program.Run) error {
	how := "grow-diag-final-and"
	if *x.reverse == "" {
		how = "forward"
	}
	if x.given("combine") {
		how = *x.combine
	}
	combine := symmetrizations[how]
	switch {
	case combine == nil:
		return fmt.Errorf("-combine %s: want one of %s, which need no posteriors", how, strings.Join(slices.Sorted(maps.Keys(symmetrizations)), ", "))
	case *x.reverse == "" && how != "forward":
		return fmt.Errorf("-combine %s: want -reverse, too", how)
	}
	references, err := x.references(r)
	if err != nil {
		return err
	}
	total, lines := gold.Counts{}, 0
	each := func(w io.Writer) error {
		b := bufio.NewWriter(w)
		for found, err := range x.combined(combine, references) {
			if err != nil {
				return errors.Join(err, b.Flush())
			}
			lines++
			total = total.Plus(found.counts)
			links := make([]weighted, len(found.links))
			for i, l := range found.links {
				links[i].Link = l
			}
			b.WriteString(x.text(links) + "\n")
		}
		return b.Flush() // with the error of any write
	}
	switch {
	case x.output.Given():
		err = x.output.Write(each)
	case x.test.gold == "":
		err = each(r.Out)
	default:
		err = each(io.Discard)
	}
	if err != nil {
		return err
	}
	r.Set("lines", lines)
	r.Set("combination", how)
	if x.test.gold != "" {
		fmt.Fprintf(r.Out, "%s, %d lines: AER %.4f, precision %.4f, recall %.4f\n", how, lines, total.AER(), total.Precision(), total.Recall())
		r.Set("aer", total.AER())
		r.Set("precision", total.Precision())
		r.Set("recall", total.Recall())
	}
	return nil
}

// references returns those of -test-gold, none without it. Numbers of words are not known.
func (x *experiment) references(r *program.Run) ([]gold.Reference, error) {
	if x.test.gold == "" {
		return nil, nil
	}
	all, err := gold.Collect(gold.ReadFile(x.test.gold))
	if err != nil {
		return nil, err
	}
	return fromZero(r, all, x.test.gold, *x.goldFrom, nil)
}

// combination of a line, and how good it is.
type combined struct {
	links  align.Alignment
	counts gold.Counts
}

// combined yields the lines, each combined with that of the other direction and compared with
// its reference, where there are any.
func (x *experiment) combined(combine func(forward, backward align.Alignment) align.Alignment, references []gold.Reference) iter.Seq2[combined, error] {
	return func(yield func(combined, error) bool) {
		other, stopOther := iter.Pull2(x.alignments(*x.reverse))
		defer stopOther()
		reference, stopReference := iter.Pull(slices.Values(references))
		defer stopReference()
		line := 0
		fail := func(name string) {
			yield(combined{}, &text.Error{File: text.Name(name), Line: line, Err: errors.New("no such line: another file is longer")})
		}
		for a, err := range x.alignments(*x.links) {
			line++
			var out combined
			var b align.Alignment
			ok := true
			if err == nil && *x.reverse != "" {
				if b, err, ok = other(); !ok {
					fail(*x.reverse)
					return
				}
			}
			if err == nil {
				out.links = combine(a, b)
				if x.test.gold != "" {
					r, ok := reference()
					if !ok {
						fail(x.test.gold)
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
			fail(*x.links)
			return
		}
		if _, more := reference(); more {
			fail(*x.links)
		}
	}
}

// alignments yields the alignments in a file, nothing for no name.
func (x *experiment) alignments(name string) iter.Seq2[align.Alignment, error] {
	return func(yield func(align.Alignment, error) bool) {
		if name == "" {
			return
		}
		for line, err := range text.LinesOf(name) {
			var links align.Alignment
			if err == nil {
				if err = line.Err; err == nil {
					links, err = parseLinks(line.Text, *x.threshold)
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

var errThreshold = errors.New("a threshold that is not more than 0")

// parseLinks returns the links of a line, such as 0-0 or 1-2:.7, but those whose posterior is
// less than the threshold. A column behind a tab, as -scores writes them, is not read.
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
