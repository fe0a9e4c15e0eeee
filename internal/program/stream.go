package program

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"strings"

	"example.org/pathsum/internal/inorder"
	"example.org/pathsum/internal/text"
)

// Stream defines how a program with a trained model answers the lines of -apply: each with one
// line of -o, in order and as soon as it is known, by -workers goroutines.
type Stream struct {
	// Answer returns the answers to a line. An error concerns this line alone: it is reported
	// with the line's number, and the line still has a record, with the returned answers, so
	// that output and input stay parallel.
	Answer func(ctx context.Context, line string) (answers []string, err error)
	// Bare leaves the line itself out of its record.
	Bare bool
	// Others are additional outputs: each takes one of the last answers of a line, in order, as
	// a separate line. There must be an answer even for an output that is not given.
	Others []*Output
}

// outcome is the record of a line and its problem.
type outcome struct {
	record  string
	others  []string // of the other outputs; nil: all empty
	problem error
}

// errTab is returned for a line with a tab, which could not be separated from its answers.
var errTab = errors.New("a tab, which stands between the columns of the output")

// Stream answers all lines of -apply, which must be given. It sets the keys lines and problems
// to the numbers of lines and of lines with a problem. The record of a line is the line and its
// answers, separated by tabs. Lines that are too long, not UTF-8 or have a tab are problems
// with an empty record. The error is a read or write error, or ctx's error if ctx is done.
func (r *Run) Stream(ctx context.Context, s Stream) error {
	p := r.program
	file := text.Name(*p.lines)
	outcomes := inorder.Map(ctx, text.LinesOf(*p.lines), r.workers(), func(l text.Line) (outcome, error) {
		if l.Err != nil {
			return outcome{problem: l.Err}, nil
		}
		if !s.Bare && strings.Contains(l.Text, "\t") {
			return outcome{problem: &text.Error{File: file, Line: l.Number, Err: errTab}}, nil
		}
		answers, err := s.Answer(ctx, l.Text)
		var others []string
		if n := len(answers) - len(s.Others); n >= 0 {
			answers, others = answers[:n], answers[n:]
		}
		if !s.Bare {
			answers = append([]string{l.Text}, answers...)
		}
		record := strings.Join(answers, "\t")
		if err != nil && ctx.Err() == nil {
			return outcome{record, others, &text.Error{File: file, Line: l.Number, Err: err}}, nil
		}
		return outcome{record: record, others: others}, err
	})
	return WriteAll(s.Others, func(others []io.Writer) error {
		return p.records.direct(func(w io.Writer) error { return r.writeOutcomes(w, others, outcomes) })
	})
}

// writeOutcomes writes a line per outcome immediately, so that a user who sends line by line
// gets answers line by line.
func (r *Run) writeOutcomes(w io.Writer, others []io.Writer, outcomes iter.Seq2[outcome, error]) error {
	lines, problems := 0, 0
	defer func() {
		r.Set("lines", lines)
		r.Set("problems", problems)
	}()
	for o, err := range outcomes {
		if err != nil {
			return err
		}
		lines++
		if o.problem != nil {
			problems++
			r.Warn("%v", o.problem)
		}
		if _, err := io.WriteString(w, o.record+"\n"); err != nil {
			return err
		}
		for i, other := range others {
			text := ""
			if o.others != nil {
				text = o.others[i]
			}
			if _, err := io.WriteString(other, text+"\n"); err != nil {
				return err
			}
		}
	}
	return nil
}

// loaded returns the result of read for the file of -load. Errors name the file.
func loaded[T any](name string, read func(io.Reader) (T, error)) (m T, err error) {
	f, err := text.Open(name)
	if err != nil {
		return m, err
	}
	defer f.Close()
	if m, err = read(bufio.NewReader(f)); err != nil {
		return m, fmt.Errorf("-load %s: %w", text.Name(name), err)
	}
	return m, nil
}

// Apply declares -apply, the name of a file of new input for the model: see Run.Stream. usage
// describes a line and its answers. Standard output is reserved for the answers, even if -o
// writes them to a file: other output and the JSON object go to standard error.
func (p *Program) Apply(usage string) *string {
	p.lines = p.Input("apply", "answer the lines of `FILE` in place of the test, each with one line of output. "+usage)
	return p.lines
}

// Excludes makes it an error to give the flag together with one of others, a list of names
// separated by spaces, which would have no effect. It panics if the program does not have such
// a flag.
func (p *Program) Excludes(flag, others string) {
	names := p.declared(flag, others)
	p.Check(func() error {
		given := p.given()
		for _, other := range names {
			if given[flag] && given[other] {
				return fmt.Errorf("-%s: has no effect with -%s", other, flag)
			}
		}
		return nil
	})
}

// Needs makes it an error to give the flag without one of others, a list of names separated by
// spaces. It panics if the program does not have such a flag.
func (p *Program) Needs(flag, others string) {
	names := p.declared(flag, others)
	p.Check(func() error {
		given := p.given()
		for _, other := range names {
			if given[other] {
				return nil
			}
		}
		if given[flag] {
			return fmt.Errorf("-%s: want -%s as well", flag, strings.Join(names, " or -"))
		}
		return nil
	})
}

// declared returns the names of others. It panics unless these and first are declared flags.
func (p *Program) declared(first, others string) []string {
	names := strings.Fields(others)
	for _, name := range append(names, first) {
		if p.Flags.Lookup(name) == nil {
			panic(fmt.Sprintf("program: %s has no flag -%s", p.name, name))
		}
	}
	return names
}

// given returns the flags that the arguments set to a non-empty value.
func (p *Program) given() map[string]bool {
	given := map[string]bool{}
	p.Flags.Visit(func(f *flag.Flag) { given[f.Name] = f.Value.String() != "" })
	return given
}
