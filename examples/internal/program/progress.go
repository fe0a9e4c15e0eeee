package program

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Progress shows how far a part of the work has come. It is safe for concurrent
// use.
type Progress struct {
	mu          sync.Mutex
	run         *Run
	what        string
	detail      string // the last one
	done, total int
	remarks     []string
	bar         bool // on a terminal, until Done
	drawn       time.Time
}

// How long a bar is, how long its line may be where the terminal does not say, and how often it
// is drawn.
const (
	barCells  = 30
	lineCells = 80
	barPeriod = 65 * time.Millisecond
)

// Progress begins a part of the work that takes at most total steps; what names
// it, such as "training". Done must end it.
func (r *Run) Progress(what string, total int) *Progress {
	p := &Progress{run: r, what: what, total: max(total, 1)}
	p.bar = r.terminal && !*r.program.quiet
	p.draw()
	return p
}

// Step says that one more step was made. The detail, such as the value of an
// objective, is shown beside the bar. Where there is no bar a step with a detail
// is a line, and steps without one are a line each tenth of the way.
func (p *Progress) Step(detail string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	switch {
	case *p.run.program.quiet:
	case p.bar:
		if detail != "" {
			p.detail = detail
		}
		if time.Since(p.drawn) >= barPeriod {
			p.draw()
		}
	case detail != "":
		p.line(": " + detail)
	case p.done*10/p.total > (p.done-1)*10/p.total:
		p.line("")
	}
}

// line writes a line of progress.
func (p *Progress) line(detail string) {
	fmt.Fprintf(p.run.stderr, "%s %d/%d%s\n", p.what, p.done, p.total, detail)
}

// draw draws the bar over the one before, if there is to be one.
func (p *Progress) draw() {
	if !p.bar {
		return
	}
	p.drawn = time.Now()
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
	// What the last bar had beyond this one is erased.
	fmt.Fprintf(p.run.stderr, "\r%s\x1b[K", line)
}

// Done ends the part, even if fewer steps were made than announced.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar {
		p.draw()
		fmt.Fprintln(p.run.stderr)
		p.bar = false
	}
	p.run.remark(p.remarks)
	p.remarks = nil
}
