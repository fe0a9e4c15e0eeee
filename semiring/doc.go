// Package semiring is the algebra that path sums are computed in.
//
// The idea: a semiring (⊕, ⊗, 0̄, 1̄) defines the meaning of the weights of a machine. ⊗ joins
// the arcs of a path, ⊕ chooses between paths, 0̄ is the weight of no path and 1̄ the weight of
// the empty path. The algorithm stays the same, and the ring determines its result: a
// probability, the cost of the best path, a number of paths or an expected value.
//
//	// Two ways from here to there, of two arcs each.
//	func total[W any](ring semiring.Semiring[W], a, b, c, d W) W {
//		return ring.Plus(ring.Times(a, b), ring.Times(c, d))
//	}
//	…
//	fmt.Println(total(semiring.Real{}, 0.5, 0.1, 0.2, 0.4)) // .13: the sum of both
//	fmt.Println(total(semiring.Tropical{}, 5, 1, 2, 3))     // 5: the cheaper one
//
// Which ring for which question:
//
//   - how probable are all paths: [Scaled], which neither underflows nor computes any exp or
//     log, and so is faster and more accurate than [Log]; [Real] if numbers are not small
//   - which path is best: [Tropical] for costs, [Viterbi] for probabilities, [Bottleneck] for
//     the widest; the k best: [KBest]; ties: [Lex]
//   - is there a path: [Boolean]; how many: [Counting]; of which length: [Series]
//   - what is expected along a path: [Expectation]; its variance: [Expectation2]; along the
//     best path: [ViterbiExpectation]; along each of the k best: [KBest] of it
//   - what output is certain: [LeftString], [RightString], with weights [Gallic]
//   - two answers at once: [Product]
//   - your own ring: any type with the five methods of [Semiring]; package semiringtest checks
//     the axioms
//
// # Rings
//
// Mass is a sum of weights, such as a probability:
//
//	ring                weight         a ⊕ b         a ⊗ b   0̄     1̄     stands for
//	Real                float64        a + b         a · b   0     1     mass, signed; underflows
//	Scaled              ScaledFloat    a + b         a · b   0     1     mass of any size, signed
//	Log                 LogProb        ln(eᵃ+eᵇ)     a + b   −Inf  0     mass, by its logarithm
//	Viterbi             ScaledFloat    max(a, b)     a · b   0     1     mass of the best path
//	Tropical            Cost           min(a, b)     a + b   +Inf  0     cost of the best path
//	Bottleneck          Width          max(a, b)     min     −Inf  +Inf  width of the widest path
//	Boolean             bool           a or b        a and b false true  is there a path?
//	Counting            *big.Int       a + b         a · b   0     1     number of paths
//	LeftString          Word           common prefix a b     ∞     ε     output that is certain
//	RightString         Word           common suffix a b     ∞     ε     the same, backwards
//	KBest(K, k)         Ranked         merged        k best  []    [1̄]   weights of the k best paths
//	Series(K, n)        Polynomial     a + b         Cauchy  0     1     mass by counted arcs
//	Product(A, B)       Pair           in each part                      both at once
//	Lex(A, B)           Pair           better First  in parts            best by A, summed in B
//	Gallic(K)           Pair           is Product(LeftString, K)         outputs with weights
//	Expectation(K, V)   Expected       ⟨p,u⟩⊕⟨q,v⟩ = ⟨p⊕q, u+v⟩           mass with a vector along:
//	                                   ⟨p,u⟩⊗⟨q,v⟩ = ⟨p⊗q, p·v+u·q⟩       expected values, gradients
//	Expectation2(K, ·)  Expected2      the same for ⟨p, r, s, t⟩         covariances, Hessians
//	ViterbiExpectation  Pair           is Lex(Viterbi, Expectation)      value along the best path
//
// # Closure and laws
//
// A cycle of weight a is summed by its closure a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …:
//
//	ring          a*             exists for        laws                          accuracy
//	Real          1/(1−a)        a < 1 − 4·2⁻⁵²    commutative                   float64
//	Scaled        1/(1−a)        a < 1 − 4·2⁻⁵²    commutative                   float64
//	Log           −ln(1−eᵃ)      eᵃ < 1 − 4·2⁻⁵²   commutative                   2⁻⁵³·|ln p|
//	Viterbi       1              a ≤ 1             commutative, selective        float64
//	Tropical      0              a ≥ 0             commutative, selective        float64
//	Bottleneck    +Inf           all a             … and bounded                 exact
//	Boolean       true           all a             … and bounded                 exact
//	Counting      1              a = 0             commutative                   exact
//	LeftString    ε              all a             bounded; from the left only   exact
//	RightString   ε              all a             bounded; from the right only  exact
//	KBest         k best powers  none better       k-closed; commutative if K    exact, as K is
//	Series        by recursion   a₀                commutative if K is           of K
//	Product       in parts       both parts        what both claim               of the parts
//	Lex           in B, or 1̄     A's not better    selective, k-closed if B is   of the parts
//	Expectation   ⟨p*,p*vp*⟩     p                 commutative if K is           of K
//	Expectation2  its doc        p                 commutative                   of K
//
// Viterbi and Tropical are k-closed. Like Boolean and the strings they are cancellative. [Laws]
// defines these terms.
//
// A sum of non-negative weights that diverges is an error, ErrDiverges. Weights of Real and Scaled
// may be negative: for a ≤ −1 the series diverges, but a* is its analytic continuation, the
// solution of x = 1 + a·x, without an error. A loop of weight −3 has the sum ¼.
//
// # Capabilities
//
// A ring is an object that implements Semiring[W] for some weight type W, and a machine carries
// it. An operation beyond ⊕ and ⊗ is a capability: an interface such as Closed, Divider or
// Metric. Use As to find it, never a type assertion: a derived ring has the methods of all
// capabilities, but it has a capability only if its parts have it. If a ring lacks a required
// capability, an algorithm returns ErrCapability.
//
// All rings above have Closed, Metric, Keyer and Textual, a derived one if its parts have.
// The others are here; "if" means that it depends on the parts, see the ring:
//
//	ring          Divider  Ordered  Negater  Probabilistic  Kernel  Scatterer  Sweeper  TermSweeper
//	Real          yes      -        yes      yes            yes     yes        yes      yes
//	Scaled        yes      -        yes      yes            yes     yes        yes      yes
//	Log           yes      -        -        yes            yes     -          yes      yes
//	Viterbi       yes      yes      -        yes            yes     yes        yes      -
//	Tropical      yes      yes      -        yes            yes     yes        yes      -
//	Bottleneck    yes      yes      -        -              -       -          -        -
//	Boolean       yes      yes      -        -              -       -          -        -
//	Counting      yes      -        -        -              -       -          -        -
//	LeftString    yes      -        -        -              -       -          -        -
//	RightString   yes      -        -        -              -       -          -        -
//	KBest         -        -        -        if             if      -          -        -
//	Series        if       -        if       if             -       -          -        -
//	Product       if       -        if       -              -       -          -        -
//	Lex           if       if       -        if             -       -          -        -
//	Expectation   if       -        if       if             if      -          if       -
//	Expectation2  if       -        if       if             -       -          -        -
//
// Real is Ranged, and so are rings derived from it. KBest, Series, Product and Lex pass Reverser
// on. OneSided is a restriction: LeftString and RightString distribute from one side only, and
// algorithms that need the other side return an error.
//
// Operations pass NaN and infinities on; they never turn them into errors.
//
// The capabilities that your own ring needs depend on its use:
//
//	sums over paths and trees without a cycle       the five methods of Semiring
//	cycles                                          Closed, or Laws with Bounded; Metric or Keyer
//	                                                suffice if iteration ends
//	composition and intersection                    Laws with Commutative
//	best paths and trees, search, disambiguation    Ordered
//	beams, and posteriors as numbers                Probabilistic
//	determinization                                 Divider and Keyer
//	pushing weights; minimization                   Divider; Keyer
//	approximate equality of machines                Metric
//	files in text; in the form of OpenFst           Textual; Probabilistic
//
// # Speed
//
// The capabilities in the last columns are bulk operations. They only save calls: a ring without
// them gives the same answers, up to rounding.
//
//	Kernel       a sum of products, one call for all arcs of a    every path and tree sum,
//	             state; KernelOf folds with ⊕ and ⊗ instead       and posteriors
//	Scatterer    products added to the sums of two tails at once  forest.Outside
//	Sweeper      one call for all states of an acyclic graph      graph.PathSum, Forward …
//	TermSweeper  the same, and the terms of the sums as numbers   graph.Posteriors
//
// Start your own ring without them: example_test.go shows how much such a ring can do already.
package semiring
