//go:build race

package trials

// reduction divides what Serial is given: under the race detector everything takes
// about ten times as long.
const reduction = 10
