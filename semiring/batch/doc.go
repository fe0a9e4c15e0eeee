// Package batch sums over graphs and forests that are compiled once and weighted often.
//
// The idea: training computes sums over the same lattices and charts many times, each time with
// new weights. A [Batch] holds many lattices and charts in one concatenation of compressed rows.
// A weight is an index into a table that the caller passes. A [Lanes] holds one forest for many
// columns of data, which share its weights and differ in the values of leaves.
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
//   - total weight of all paths or trees: [Batch.Sum]; per column: [Lanes.TreeSums]
//   - expected uses of each weight, for an E step: [Batch.Counts]; summed over all columns:
//     [Lanes.Counts]; per column: [Lanes.CountsByLane]
//   - the same from random paths or trees: [Batch.SampledCounts]
//   - derivatives of these counts: [Batch.HessianVector]
//   - best path or tree: [Batch.Best]
//
// Each method makes one to three passes over the edges, without a transpose. Memory per edge
// consists of the rows and the terms of the current item. Once the scratch has grown, methods do
// not allocate. If each goroutine has its own scratch and counts, two goroutines take the same
// processor time per edge as one. Graphs and forests with cycles are solved one by one by
// packages graph and forest.
//
// # Rows
//
// An edge of a node v is a triple (k, left, right) and stands for table[k] · sum(left) ·
// sum(right), with sum(0) = 1; the sum of v adds the terms of its edges. A graph is the case
// without right: its states are nodes, and an arc derives its source from the state that it leads
// to, down to the sink, node 0. Loops store the terms of the sums, which is cheaper than
// multiplying them again in the backward pass.
//
// The cost of passes is in semiring/PERFORMANCE.md.
package batch
