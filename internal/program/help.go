package program

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Subject is a heading of -help for a group of flags.
type Subject int

// The subjects, in their order.
const (
	AboutData Subject = iota
	AboutTraining
	AboutModel
	AboutAnswers
	AboutOutput
)

var subjects = [...]string{"Data", "Training", "Model", "Answers", "Output"}

// known are the subjects of flags that several programs share. Other flags belong to the model,
// unless About sets another subject.
var known = map[string]Subject{
	"data": AboutData, "dev": AboutData, "test": AboutData,
	"iterations": AboutTraining, "restarts": AboutTraining, "seed": AboutTraining, "workers": AboutTraining, "checkpoint": AboutTraining,
	"save": AboutModel, "load": AboutModel,
	"apply": AboutAnswers, "n": AboutAnswers,
	"o": AboutOutput, "plot": AboutOutput, "matrix": AboutOutput, "json": AboutOutput, "quiet": AboutOutput, "version": AboutOutput,
}

// About sets the subject of flags, a list of names separated by spaces. It panics if the
// program does not have such a flag.
func (p *Program) About(s Subject, flags string) {
	for _, name := range p.declared("json", flags) {
		p.about[name] = s
	}
}

// subject returns the subject of a flag. Input files are data, and output files output, unless
// known or About sets another subject.
func (p *Program) subject(name string) Subject {
	if s, ok := p.about[name]; ok {
		return s
	}
	if s, ok := known[name]; ok {
		return s
	}
	switch {
	case slices.Contains(p.Inputs(), name):
		return AboutData
	case slices.Contains(p.Outputs(), name):
		return AboutOutput
	}
	return AboutModel
}

// flagsOf returns the flags of a subject, by name.
func (p *Program) flagsOf(s Subject) []*flag.Flag {
	var all []*flag.Flag
	p.Flags.VisitAll(func(f *flag.Flag) {
		if p.subject(f.Name) == s {
			all = append(all, f)
		}
	})
	return all
}

// help writes the output of -h: the synopsis, examples, and the flags by subject.
func (p *Program) help(w io.Writer) {
	fmt.Fprintln(w, p.synopsis)
	if len(p.examples) > 0 {
		fmt.Fprintln(w)
	}
	for _, e := range p.examples {
		fmt.Fprintf(w, "    %s\n", e)
	}
	for s, name := range subjects {
		flags := p.flagsOf(Subject(s))
		if len(flags) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", name)
		for _, f := range flags {
			value, usage := flag.UnquoteUsage(f)
			head := "  -" + f.Name
			if value != "" {
				head += " " + value
			}
			if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
				head = "  -" + f.Name
			}
			if f.DefValue != "" && f.DefValue != "false" && f.Name != "workers" {
				usage += fmt.Sprintf(" (default %s)", f.DefValue)
			}
			fmt.Fprintln(w, head)
			WriteText(w, "        ", usage)
		}
	}
	fmt.Fprint(w, "\nA file that is read may be -, standard input, or end in .gz. A file that is written may be -,\nstandard output.\n")
}

// textCells is the width of a text, without its margin.
const textCells = 92

// WriteText writes a text to w with line breaks between words and a margin.
func WriteText(w io.Writer, margin, text string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && width(line)+1+width(word) > textCells {
			fmt.Fprintln(w, margin+line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, margin+line)
}
