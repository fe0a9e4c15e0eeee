package ctc

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
	"example.org/pathsum/semiring/graph"
)

// underivable is the error for an example that no path reads.
type underivable struct {
	kind       error // ErrTooShort or em.ErrUnderivable
	reason     string
	structural bool // for any emissions
}

func (u *underivable) Error() string { return u.kind.Error() + ": " + u.reason }

func (u *underivable) Unwrap() error { return u.kind }

// underivable returns the error for a graph that has no path through the emissions of x.
func (l *Loss) underivable(x *Example, s *static) error {
	switch {
	case s.name != "":
		return s.stuck(x.Emissions, "the "+s.name)
	case x.Lattice != nil:
		return s.stuck(x.Emissions, "the lattice")
	}
	return s.stuckText(x.Emissions, x.Labels)
}

// stuckText returns the error for the graph of a text that has no path through e.
func (c *compiled) stuckText(e *frames.Emissions, labels []int32) error {
	what, repeats := plural(len(labels), "label"), 0
	for i := 1; i < len(labels); i++ {
		if labels[i] == labels[i-1] {
			repeats++
		}
	}
	if repeats > 0 {
		what += " with " + plural(repeats, "repeat")
	}
	err := c.stuck(e, what)
	var u *underivable
	if !errors.As(err, &u) || u.structural {
		return err
	}
	for i, label := range labels {
		if !c.audible(e, int32(i)) {
			u.reason = fmt.Sprintf("label %d at position %d has probability 0 in every frame", label, i)
			break
		}
	}
	return u
}

// audible reports whether label i of a text can begin in some frame.
func (c *compiled) audible(e *frames.Emissions, i int32) bool {
	for _, a := range c.arcs {
		if c.state[a.From][1] != i || c.state[a.To][1] != i+1 {
			continue
		}
		if a.Symbol == frames.Epsilon {
			return true
		}
		for t := range e.Frames() {
			if !math.IsInf(e.Log(t, int(a.Symbol)), -1) {
				return true
			}
		}
	}
	return false
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// stuck returns the error for a graph that has no path through e. The reason begins with what,
// the name of the text.
func (c *compiled) stuck(e *frames.Emissions, what string) error {
	least, err := c.leastFrames()
	if err != nil {
		return err
	}
	switch {
	case math.IsInf(least, 1):
		return &underivable{em.ErrUnderivable, what + ": the topology has no path for any number of frames", true}
	case least > float64(e.Frames()):
		return &underivable{ErrTooShort, fmt.Sprintf("%s: want at least %s, got %d", what, plural(int(least), "frame"), e.Frames()), true}
	}
	// Try again with equal weights of all columns.
	flat, err := frames.LogProbabilities(e.Frames(), e.Symbols(), make([]float64, e.Frames()*e.Symbols()), &frames.Options{Unnormalized: true})
	if err != nil {
		return err
	}
	if z, err := c.graph.PathSum(flat, new(frames.Scratch)); err != nil {
		return err
	} else if z.IsZero() {
		return &underivable{em.ErrUnderivable, fmt.Sprintf("%s: the topology has no path of exactly %s", what, plural(e.Frames(), "frame")), true}
	}
	for t := range e.Frames() {
		if !c.readable(e, t) {
			return &underivable{em.ErrUnderivable, fmt.Sprintf("%s: in frame %d all columns of the paths have probability 0", what, t), false}
		}
	}
	return &underivable{em.ErrUnderivable, what + ": each path meets a column of probability 0", false}
}

// readable reports whether some column that the graph reads has a positive weight in frame t.
func (c *compiled) readable(e *frames.Emissions, t int) bool {
	return slices.ContainsFunc(c.arcs, func(a frames.Arc) bool {
		return a.Symbol != frames.Epsilon && !math.IsInf(e.Log(t, int(a.Symbol)), -1)
	})
}

// leastFrames returns the length of the shortest string of columns that the graph reads, +Inf if
// it has no path.
func (c *compiled) leastFrames() (float64, error) {
	// The weight of a path is 1/2 for each frame.
	half, one := semiring.NewScaled(.5), semiring.NewScaled(1)
	present := func(w semiring.ScaledFloat) semiring.ScaledFloat {
		if w.IsZero() {
			return w
		}
		return one
	}
	row, to, weight := make([]int32, len(c.state)+1), make([]int32, len(c.arcs)), make([]semiring.ScaledFloat, len(c.arcs))
	for k, a := range c.arcs {
		row[a.From+1]++
		to[k], weight[k] = a.To, present(c.weights.Arc[k])
		if a.Symbol != frames.Epsilon {
			weight[k] = weight[k].Mul(half)
		}
	}
	starts, final := []graph.Start[semiring.ScaledFloat](nil), make([]semiring.ScaledFloat, len(c.state))
	for s := range c.state {
		row[s+1] += row[s]
		starts = append(starts, graph.Start[semiring.ScaledFloat]{State: int32(s), Weight: present(c.weights.Initial[s])})
		final[s] = present(c.weights.Final[s])
	}
	g, err := graphs.New(semiring.Viterbi{}, row, to, weight, starts, final)
	if err != nil {
		return 0, err
	}
	best, err := graphs.BestPath(g)
	if errors.Is(err, graph.ErrNoPath) || err == nil && best.Weight.IsZero() {
		return math.Inf(1), nil
	}
	return math.Round(best.Weight.Log() / -math.Ln2), err
}
