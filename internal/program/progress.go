package program

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Progress shows the progress of a part of the work. It is safe for concurrent use.
type Progress struct {
	mu          sync.Mutex
	run         *Run
	what        string
	detail      string // the last one
	done, total int
	remarks     []string
	bar         bool // on a terminal, until Done
	began       time.Time
	drawn       time.Time // when the last bar or line was written, or the work began
}

// The length of a bar, the length of its line if the terminal's width is unknown, the time
// between two bars, and the time between two lines without a bar.
const (
	barCells   = 30
	lineCells  = 80
	barPeriod  = 65 * time.Millisecond
	linePeriod = 5 * time.Second
)

// Progress begins a part of the work that takes at most total steps; what is its title, such as
// "training". Done must end it.
func (r *Run) Progress(what string, total int) *Progress {
	p := &Progress{run: r, what: what, total: max(total, 1)}
	p.began = r.program.Clock()
	p.drawn = p.began
	p.bar = r.terminal && !*r.program.quiet
	p.draw()
	return p
}

// Step records one more step. The detail, such as the value of an objective, is shown next to
// the bar. Without a bar, a step writes a line if the last line is some seconds old.
func (p *Progress) Step(detail string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if detail != "" {
		p.detail = detail
	}
	now := p.run.program.Clock()
	switch since := now.Sub(p.drawn); {
	case *p.run.program.quiet:
	case p.bar && since >= barPeriod:
		p.draw()
	case !p.bar && since >= linePeriod:
		p.drawn = now
		p.line("")
	}
}

// line writes a line of progress; took describes the time.
func (p *Progress) line(took string) {
	detail := ""
	if p.detail != "" {
		detail = ": " + p.detail
	}
	fmt.Fprintf(p.run.stderr, "%s %d/%d%s%s\n", p.what, p.done, p.total, took, detail)
}

// draw draws the bar over the preceding one, if bars are shown.
func (p *Progress) draw() {
	if !p.bar {
		return
	}
	p.drawn = p.run.program.Clock()
	done := min(p.done, p.total)
	full := barCells * done / p.total
	line := fmt.Sprintf("%s %3d%% |%s%s| %d/%d", p.what, 100*done/p.total,
		strings.Repeat("█", full), strings.Repeat(" ", barCells-full), done, p.total)
	if p.detail != "" {
		line += " " + p.detail
	}
	cells := lineCells
	if f, ok := p.run.stderr.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			cells = width
		}
	}
	if text := []rune(line); len(text) >= cells {
		line = string(text[:max(cells-1, 0)])
	}
	// Erase the rest of the preceding bar.
	fmt.Fprintf(p.run.stderr, "\r%s\x1b[K", line)
}

// Done ends the part, even if fewer steps were made than announced. Without a bar, a line
// summarizes the steps, if any.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.bar:
		p.draw()
		fmt.Fprintln(p.run.stderr)
		p.bar = false
	case !*p.run.program.quiet && p.done > 0:
		p.line(fmt.Sprintf(" in %.1f s", p.run.program.Clock().Sub(p.began).Seconds()))
	}
	p.run.remark(p.remarks)
	p.remarks = nil
}
