package bayes

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// WriteBIF writes the network in the Bayesian interchange format that ReadBIF reads; ReadBIF
// restores every number of a row that sums to 1 within 1e-12 exactly. Names that are not BIF words
// are quoted. The error wraps ErrInvalid if a variable is continuous, a name has a quotation mark
// or the end of a line or at least 65,536 bytes, or the tables have more than 2²² entries.
func (n *Network) WriteBIF(w io.Writer) error {
	entries := 0
	for _, f := range n.families {
		if entries += len(f.Table); entries > maxText {
			return nested.Errorf("bayes: %w: tables of more than %d entries, which ReadBIF would refuse", ErrInvalid, maxText)
		}
	}
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "network unknown {\n}\n")
	for _, v := range n.variables {
		if len(v.States) == 0 {
			return nested.Errorf("bayes: %w: BIF has no continuous variables, and %s is one", ErrInvalid, v.Name)
		}
		names, err := bifNames(append([]string{v.Name}, v.States...)...)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "variable %s {\n  type discrete [ %d ] { %s };\n}\n", names[0], len(v.States), strings.Join(names[1:], ", "))
	}
	for i, f := range n.families {
		if err := n.writeFamily(b, i, f); err != nil {
			return err
		}
	}
	return b.Flush()
}

func (n *Network) writeFamily(b *bufio.Writer, i int, f Family) error {
	names := []string{n.child(i)}
	for _, p := range f.Parents {
		names = append(names, n.variables[p].Name)
	}
	names, err := bifNames(names...)
	if err != nil {
		return err
	}
	given := ""
	if len(names) > 1 {
		given = " | " + strings.Join(names[1:], ", ")
	}
	fmt.Fprintf(b, "probability ( %s%s ) {\n", names[0], given)
	k := n.size(f.Children[0])
	for c := range len(f.Table) / k {
		fmt.Fprint(b, "  "+n.label(i, c))
		for x, p := range f.Table[c*k : (c+1)*k] {
			if x > 0 {
				b.WriteByte(',')
			}
			fmt.Fprint(b, " ", strconv.FormatFloat(p, 'g', -1, 64))
		}
		fmt.Fprint(b, ";\n")
	}
	fmt.Fprint(b, "}\n")
	return nil
}

// label returns the beginning of the row of configuration c of family i. Its names have been
// checked.
func (n *Network) label(i, c int) string {
	f, s := n.families[i], n.scopes[i]
	if len(f.Parents) == 0 {
		return "table"
	}
	var states []string
	for k, p := range f.Parents {
		states = append(states, n.variables[p].States[c*n.size(f.Children[0])/s.stride[k]%n.size(p)])
	}
	states, _ = bifNames(states...)
	return "(" + strings.Join(states, ", ") + ")"
}

// bifNames returns names as words of BIF.
func bifNames(names ...string) ([]string, error) {
	words := make([]string, len(names))
	for i, name := range names {
		if name == "" || len(name) >= maxName || strings.ContainsAny(name, "\"\n\r") || !text.Valid(name) {
			return nil, nested.Errorf("bayes: %w: BIF has no way to write the name %s", ErrInvalid, text.Quote(name))
		}
		words[i] = name
		if strings.ContainsAny(name, " \t\r\f,"+bifPunctuation) || strings.HasPrefix(name, "//") || strings.HasPrefix(name, "/*") {
			words[i] = `"` + name + `"`
		}
	}
	return words, nil
}
