package semiring

// Sweeper is the capability of a commutative ring with bulk operations for whole
// passes: the solutions of x = b ⊕ A ⊗ x and x = b ⊕ x ⊗ A for a matrix A that has a
// topological order, by substitution. A path sum of an acyclic graph makes one such
// call, and where rows have few terms that is what calling a Kernel once per row costs
// more than the terms themselves. It takes both methods: a ring with one of them alone
// is no Sweeper, and its sums are those of its Kernel.
//
// Row s of A holds w[n] in column i[n] for n = row[s], …, row[s+1]−1. A nil order
// stands for 0, 1, 2, …; i is not nil. A is square, and no row refers to its own column.
type Sweeper[W any] interface {
	// Sweep replaces x[s] by x[s] ⊕ ⊕ₙ w[n] ⊗ x[i[n]], the sum over row s, for
	// s = order[0], order[1], … one after the other: a row sees what became of x
	// before.
	Sweep(x []W, order, row []int32, w []W, i []int32)
	// Spread replaces x[i[n]] by x[i[n]] ⊕ x[s] ⊗ w[n], for n in row s, for
	// s = order[0], order[1], … one after the other, where no row refers to a column
	// whose own row came before: a row spreads the final x[s].
	Spread(x []W, order, row []int32, w []W, i []int32)
}

// rowsOf returns the rows of a pass in the order to be taken.
func rowsOf(order, row []int32) []int32 { return indices(order, max(0, len(row)-1)) }
