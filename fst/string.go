package fst

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/pathsum/semiring"
)

// stringLines is the number of arcs and states that String writes.
const stringLines = 100

// String returns f in a form to be read by people, in the message of a failed test:
//
//	→ 0/w         state 0 is initial with weight w
//	0 a:b/w → 1   an arc from 0 to 1
//	1/w →         state 1 is final
//
// A weight that is One is left out, and a name with a blank or a sign of the above is in
// quotes. After a hundred lines it only says how many states and arcs there are. The
// form may change; WriteText of fstio has one that is read back.
func (f *FST[W]) String() string {
	p := printer[W]{f: f}
	p.texter, _ = semiring.As[semiring.Texter[W]](f.ring)
	p.one = p.text(f.ring.One())
	p.machine()
	return p.b.String()
}

// printer writes a machine. A ring without a text form has weights as fmt prints
// them.
type printer[W any] struct {
	f      *FST[W]
	texter semiring.Texter[W]
	one    string
	b      strings.Builder
	lines  int
}

func (p *printer[W]) text(w W) string {
	if p.texter != nil {
		return p.texter.Format(w)
	}
	return fmt.Sprint(w)
}

// weight returns what follows a label or a state.
func (p *printer[W]) weight(w W) string {
	if text := p.text(w); text != p.one {
		return "/" + text
	}
	return ""
}

// line writes a line unless there are enough of them.
func (p *printer[W]) line(parts ...string) bool {
	if p.lines++; p.lines > stringLines {
		fmt.Fprintf(&p.b, "… of %d states and %d arcs\n", p.f.NumStates(), p.f.NumArcs())
		return false
	}
	p.b.WriteString(strings.Join(parts, ""))
	p.b.WriteByte('\n')
	return true
}

func (p *printer[W]) machine() {
	for _, s := range p.f.starts {
		if !p.line("→ ", strconv.Itoa(int(s.State)), p.weight(s.Weight)) {
			return
		}
	}
	for s := range int32(p.f.NumStates()) {
		from := strconv.Itoa(int(s))
		for _, a := range p.f.AppendArcs(nil, s) {
			if !p.line(from, " ", p.label(a), p.weight(a.Weight), " → ", strconv.Itoa(int(a.To))) {
				return
			}
		}
		if w := p.f.final[s]; !p.f.ring.IsZero(w) && !p.line(from, p.weight(w), " →") {
			return
		}
	}
}

func (p *printer[W]) label(a Arc[W]) string {
	in, out := nameOf(p.f.inSymbols, a.In), nameOf(p.f.outSymbols, a.Out)
	if in == out {
		return in
	}
	return in + ":" + out
}

// nameOf returns the name of a label, ε for 0, the number of one without a name. A name
// that could be read as something else is in quotes.
func nameOf(t *Symbols, label int32) string {
	if label == Epsilon {
		return "ε"
	}
	text := t.describe(label)
	name, err := strconv.Unquote(text)
	if err != nil || name == "" || len(name)+2 < len(text) || strings.ContainsAny(name, " :/→ε") {
		return text
	}
	return name
}
