//go:build race

package trials

// reduction is the divisor of Serial: the race detector makes everything about ten times
// slower.
const reduction = 10
