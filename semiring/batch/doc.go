// Package batch sums over graphs and forests that are compiled once and weighted often.
//
// The idea: training asks the same questions of the same lattices and charts again and again,
// with other numbers for their weights each time. A [Batch] holds many of them in one
// concatenation of compressed rows, in which a weight is an index into a table; whoever
// asks brings the table. A [Lanes] holds one forest for many columns of data, which share
// its weights and differ in the values of leaves.
//
//	var b batch.Batch
//	…
//	if _, err := batch.AppendGraph(&b, g); err != nil { // weights are handles, such as expr.W
//		…
//	}
//	…
//	var scratch batch.Scratch
//	for g := range b.Len() {
//		total, err := b.Counts(g, table, 1, count, &scratch) // count[k]: uses of table[k]
//		…
//	}
//
// Which function for which question:
//
//   - compile: [AppendGraph], [AppendForest]; [NewLanes]
//   - how much do all paths, or trees, weigh: [Batch.Sum]; per column: [Lanes.TreeSums]
//   - how often is each weight used, an E step: [Batch.Counts]; in all columns:
//     [Lanes.Counts]; in each: [Lanes.CountsByLane]
//   - the same from random paths or trees: [Batch.SampledCounts]
//   - how do these counts change with the weights: [Batch.HessianVector]
//   - which path, or tree, is best: [Batch.Best]
//
// All take one to three passes over the edges; none needs a transpose, or memory per
// edge beside the rows and the terms of the item at hand. They allocate nothing once the
// scratch has grown. Goroutines with a scratch and a vector of counts each do not disturb
// each other: two of them spend as much processor time per edge as one. Graphs and
// forests with cycles are solved by the packages graph and forest, one by one.
//
// # Rows
//
// An edge of a node v is a triple (k, left, right) and stands for
// table[k] · sum(left) · sum(right), with sum(0) = 1; v's sum adds up its edges. A
// graph is the case without right: its states are nodes, and what derives a state is its
// arcs, each from the state that it leads to, down to the sink, node 0. Loops keep the
// terms of the sums, which costs less than to multiply them again on the way back.
//
// What passes cost is in semiring/PERFORMANCE.md.
package batch
