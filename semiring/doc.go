// Package semiring is the algebra that path sums are computed in.
//
// A semiring K = (⊕, ⊗, 0̄, 1̄) says what the weights of a machine mean: ⊗ joins
// the arcs of a path, ⊕ chooses between paths, 0̄ is the weight of no path and 1̄
// that of the empty one. The total weight of all paths is a probability, the cost
// of the best path, a number of paths or an expected value, and the algorithm is
// the same; only the ring differs:
//
//	ring               weight        a ⊕ b       a ⊗ b   0̄     1̄   stands for
//	Real               float64       a + b       a · b   0     1   mass, signed; underflows
//	Scaled             ScaledFloat   a + b       a · b   0     1   mass, signed, of any magnitude
//	Log                LogProb       ln(eᵃ+eᵇ)   a + b   −Inf  0   mass, by its logarithm
//	Viterbi            ScaledFloat   max(a, b)   a · b   0     1   mass of the best path
//	Tropical           Cost          min(a, b)   a + b   +Inf  0   cost of the best path
//	Boolean            bool          a or b      a and b false true is there a path?
//	Counting           *big.Int      a + b       a · b   0     1   number of paths
//	Product(A, B)      Pair          in each part                  both at once
//	Expectation(K, V)  Expected      ⟨p,u⟩⊕⟨q,v⟩ = ⟨p⊕q, u+v⟩       mass with a vector along:
//	                                 ⟨p,u⟩⊗⟨q,v⟩ = ⟨p⊗q, p·v+u·q⟩   expected values, gradients
//
// and its closure a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …, by which cycles are summed:
//
//	ring         a*           exists for          laws                    accuracy
//	Real         1/(1−a)      a < 1 − 4·2⁻⁵²      commutative             float64
//	Scaled       1/(1−a)      a < 1 − 4·2⁻⁵²      commutative             float64
//	Log          −ln(1−eᵃ)    eᵃ < 1 − 4·2⁻⁵²     commutative             2⁻⁵³·|ln p|
//	Viterbi      1            a ≤ 1               commutative, selective  float64
//	Tropical     0            a ≥ 0               commutative, selective  float64
//	Boolean      true         all a               … and bounded           exact
//	Counting     1            a = 0               commutative             exact
//	Product      in parts     both parts          what both claim         of the parts
//	Expectation  ⟨p*,p*vp*⟩   p                   commutative if K is     of K
//
// Sums of probabilities belong in Scaled: it neither underflows nor computes any
// exp or log, which makes it several times as fast as Log, and more accurate.
//
// # Rings are values
//
// A ring is an object that implements Semiring[W] for some weight type W, and a
// machine carries it. Whatever a ring can do beyond ⊕ and ⊗ is a capability, an
// interface such as Closed, Divider or Metric, to be asked for by As and never by
// a type assertion: a derived ring has the methods of a capability in any case,
// and the capability only if its parts have it.
//
// Kernel is the capability that speed comes from: one call for all arcs of a
// state. KernelOf falls back to a fold for a ring without it. Package semiringtest
// tries whether a ring keeps what it promises.
//
// NaN propagates through all operations and infinities are not hidden either;
// they are never turned into errors here.
package semiring
