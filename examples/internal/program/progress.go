package program

import (
	"fmt"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows how far a part of the work has come. It is safe for concurrent
// use.
type Progress struct {
	mu          sync.Mutex
	run         *Run
	what        string
	done, total int
	bar         *progressbar.ProgressBar // nil where standard error is no terminal
}

// Progress begins a part of the work that takes at most total steps; what names
// it, such as "training". Done must end it.
func (r *Run) Progress(what string, total int) *Progress {
	p := &Progress{run: r, what: what, total: max(total, 1)}
	if r.terminal && !*r.program.quiet {
		p.bar = progressbar.NewOptions(p.total,
			progressbar.OptionSetWriter(r.stderr),
			progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(65*time.Millisecond),
			progressbar.OptionSetRenderBlankState(true))
	}
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
	case p.bar != nil:
		if detail != "" {
			p.bar.Describe(p.what + ": " + detail)
		}
		_ = p.bar.Set(min(p.done, p.total)) // a bar that cannot be drawn stops nothing
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

// Done ends the part, even if fewer steps were made than announced.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Exit() // as above
		fmt.Fprintln(p.run.stderr)
		p.bar = nil
	}
}
