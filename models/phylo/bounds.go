package phylo

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/pathsum/models/phylo/msa"
)

// Parameters beyond these values are at a bound.
const (
	zeroLength    = 1e-6 // of a branch
	zeroExchange  = 1e-6 // of an exchangeability, as a share of their sum
	unequal       = 1e-3 // what a branch leaves of a difference between probabilities of bases
	constantShape = 1e3  // of rate classes: they differ by a few per cent
)

// bounds returns a remark for each kind of parameter that is at a bound at theta.
func (c *climb) bounds(theta []float64) (remarks []string) {
	r, speeds, err := c.rates(theta)
	if err != nil {
		return nil
	}
	slowest := 0.0 // the greatest eigenvalue below 0; 0 if nothing changes
	for _, x := range r.value {
		if x < 0 && (slowest == 0 || x > slowest) {
			slowest = x
		}
	}
	var zero, endless []string
	tree := c.likelihood.tree
	label := func(v int) string {
		if name := tree.Nodes[v].Name; name != "" {
			return name
		}
		return fmt.Sprintf("node %d", v)
	}
	top := tree.Nodes[tree.Root()].Children
	for v, t := range c.length.In(theta) {
		name := label(v)
		if len(top) == 2 && v == top[1] {
			continue // one branch with the other, as the root may be anywhere on it
		}
		if len(top) == 2 && v == top[0] {
			t += c.length.In(theta)[top[1]]
			name += " to " + label(top[1])
		}
		switch {
		case t < zeroLength:
			zero = append(zero, name)
		case math.Exp(slowest*t*slices.Max(speeds)) < unequal:
			endless = append(endless, fmt.Sprintf("%s (%.3g)", name, t))
		}
	}
	remark := func(format, text string) { remarks = append(remarks, fmt.Sprintf(format, text)) }
	if len(zero) > 0 {
		remark("branch lengths that are best at 0: %s", strings.Join(zero, ", "))
	}
	if len(endless) > 0 {
		remark("branches so long that the bases at their ends are independent, where greater lengths are as probable: %s", strings.Join(endless, ", "))
	}
	var never []string
	for i, class := range c.process.Exchange {
		if c.exchange.In(theta)[class] < zeroExchange {
			never = append(never, exchangeNames[i])
		}
	}
	if len(never) > 0 {
		remark("exchangeabilities that are best at 0: %s", strings.Join(never, ", "))
	}
	if c.shape != nil {
		switch x := c.shape.In(theta)[0]; {
		case x > constantShape:
			remark("the shape of the rate classes is %s, so that sites hardly differ in their rates", fmt.Sprintf("%.3g", x))
		case x < leastShape*1.01:
			remark("the shape of the rate classes is at its least value, %s", fmt.Sprint(leastShape))
		}
	}
	return append(remarks, c.absent(theta)...)
}

// absent returns the remark for bases of frequency 0, none if there are no such bases.
func (c *climb) absent(theta []float64) []string {
	var lacking []string
	for b, f := range c.frequencies.In(theta) {
		if f == 0 {
			lacking = append(lacking, msa.Bases[b:b+1])
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return []string{"bases of frequency 0, of which the alignment shows no rates: " + strings.Join(lacking, ", ")}
}

// exchangeNames are the pairs of bases of Reversible.Exchange.
var exchangeNames = [6]string{"AC", "AG", "AT", "CG", "CT", "GT"}
