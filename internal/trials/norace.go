//go:build !race

package trials

const reduction = 1
