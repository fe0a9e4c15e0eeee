// Package batch sums over graphs and forests that are compiled once and weighted often.
//
// Training asks the same questions of the same lattices and charts again and again, with
// other numbers for their weights each time. A Batch holds many of them in one
// concatenation of compressed rows, in which a weight is an index into a table; whoever
// asks brings the table. A Lanes holds one forest for many columns of data, which share
// its weights and differ in the values of leaves.
//
//	var b batch.Batch
//	for _, g := range lattices { // *graph.Graph[expr.W], say: weights are handles
//		if _, err := batch.AppendGraph(&b, g); err != nil {
//			return err
//		}
//	}
//	var scratch batch.Scratch
//	for i := range b.Len() {
//		total, err := b.Counts(i, table, 1, count, &scratch)
//		…
//	}
//
// # Which function
//
//	Batch.Sum              how much do all paths, or trees, weigh
//	Batch.Counts           and how often is each weight used: an E step
//	Batch.HessianVector    and how do these counts change with the weights
//	Batch.Best             which path, or tree, is best
//	Lanes.TreeSums         how much do all trees weigh, per column
//	Lanes.Counts           and how often is each weight used, in all columns
//	Lanes.CountsByLane     and in each column
//
// All take one to three passes over the edges; none needs a transpose, or memory per
// edge beside the rows. They allocate nothing once the scratch has grown, and goroutines
// with a scratch and a vector of counts each do not disturb each other: two of them spend
// as much processor time per edge as one. Graphs and forests with cycles are solved by
// the packages graph and forest, one by one.
//
// # Rows
//
// An edge of a node v is a triple (k, left, right) and stands for
// table[k] · sum(left) · sum(right), with sum(0) = 1; v's sum adds up its edges. A
// graph is the case without right: its states are nodes, and what derives a state is its
// arcs, each from the state that it leads to, down to the sink, node 0. Its loops keep
// the terms of the sums, which costs less than to multiply them again on the way back.
//
// What passes cost is in semiring/PERFORMANCE.md.
package batch
