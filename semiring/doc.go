// Package semiring is the algebra that path sums are computed in.
//
// A semiring K = (⊕, ⊗, 0̄, 1̄) says what the weights of a machine mean: ⊗ joins
// the arcs of a path, ⊕ chooses between paths, 0̄ is the weight of no path and 1̄
// that of the empty one. The total weight of all paths is a probability, the cost
// of the best path, a number of paths or an expected value, and the algorithm is
// the same; only the ring differs:
//
//	ring                weight         a ⊕ b         a ⊗ b   0̄     1̄     stands for
//	Real                float64        a + b         a · b   0     1     mass, signed; underflows
//	Scaled              ScaledFloat    a + b         a · b   0     1     mass, signed, of any magnitude
//	Log                 LogProb        ln(eᵃ+eᵇ)     a + b   −Inf  0     mass, by its logarithm
//	Viterbi             ScaledFloat    max(a, b)     a · b   0     1     mass of the best path
//	Tropical            Cost           min(a, b)     a + b   +Inf  0     cost of the best path
//	Bottleneck          Width          max(a, b)     min     −Inf  +Inf  width of the widest path
//	Boolean             bool           a or b        a and b false true  is there a path?
//	Counting            *big.Int       a + b         a · b   0     1     number of paths
//	LeftString          Word           common prefix a b     ∞     ε     output that is certain
//	RightString         Word           common suffix a b     ∞     ε     the same, backwards
//	KBest(K, k)         Ranked         merged        k best  []    [1̄]   weights of the k best paths
//	Series(K, n)        Polynomial     a + b         Cauchy  0     1     mass by number of counted arcs
//	Product(A, B)       Pair           in each part                      both at once
//	Lex(A, B)           Pair           better First  in parts            best by A, summed in B
//	Gallic(K)           Pair           is Product(LeftString, K)         outputs with weights
//	Expectation(K, V)   Expected       ⟨p,u⟩⊕⟨q,v⟩ = ⟨p⊕q, u+v⟩           mass with a vector along:
//	                                   ⟨p,u⟩⊗⟨q,v⟩ = ⟨p⊗q, p·v+u·q⟩       expected values, gradients
//	Expectation2(K, ·)  Expected2      the same for ⟨p, r, s, t⟩         covariances, Hessians
//	ViterbiExpectation  Pair           is Lex(Viterbi, Expectation)      value along the best path
//
// and its closure a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …, by which cycles are summed:
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
// Viterbi and Tropical are k-closed and, like Boolean and the strings, cancellative;
// Laws says what all that means.
//
// Sums of probabilities belong in Scaled: it neither underflows nor computes any
// exp or log, which makes it several times as fast as Log, and more accurate. Sums
// over long sequences (trellises with layers of so many states, every arc of a random
// mass), compared with arithmetic of 256 bits; the weights of Log are rounded
// logarithms to begin with:
//
//	layers   states  ln Z     Scaled, error of Z  … of ln Z  Log, error of ln Z
//	10⁴      1       −2·10⁴   5·10⁻¹⁶             10⁻¹²      9·10⁻¹¹
//	10⁴      10      −1·10⁴   3·10⁻¹⁶             4·10⁻¹³    4·10⁻¹²
//	10⁵      1       −10⁷     2·10⁻¹⁴             3·10⁻¹⁰    10⁻⁷
//	10⁵      3       −5·10⁵   10⁻¹⁴               2·10⁻¹¹    2·10⁻⁹
//	10⁶      1       −10⁷     4·10⁻¹⁴             2·10⁻¹⁰    5·10⁻⁷
//	10⁶      3       −5·10⁶   8·10⁻¹⁴             3·10⁻¹⁰    4·10⁻⁷
//
// Scaled gives Z to 2⁻⁵³·√layers or so; its ln Z is as good as a float64 can be.
//
// # Rings are values
//
// A ring is an object that implements Semiring[W] for some weight type W, and a
// machine carries it. Whatever a ring can do beyond ⊕ and ⊗ is a capability, an
// interface such as Closed, Divider or Metric, to be asked for by As and never by
// a type assertion: a derived ring has the methods of a capability in any case,
// and the capability only if its parts have it. An algorithm that needs one which the
// ring lacks says so by ErrCapability.
//
// All rings above have Closed, Metric, Keyer and Texter, a derived one if its parts
// have. This is who has the others:
//
//	ring          Divider  Ordered  Negater  Prober  Kernel  Scatterer  Sweeper
//	Real          yes      -        yes      yes     yes     yes        yes
//	Scaled        yes      -        yes      yes     yes     yes        yes
//	Log           yes      -        -        yes     yes     -          yes
//	Viterbi       yes      yes      -        yes     yes     yes        yes
//	Tropical      yes      yes      -        yes     yes     yes        yes
//	Bottleneck    yes      yes      -        -       -       -          -
//	Boolean       yes      yes      -        -       -       -          -
//	Counting      yes      -        -        -       -       -          -
//	LeftString    yes      -        -        -       -       -          -
//	RightString   yes      -        -        -       -       -          -
//	KBest         -        -        -        if      if      -          -
//	Series        if       -        if       if      -       -          -
//	Product       if       -        if       -       -       -          -
//	Lex           if       if       -        if      -       -          -
//	Expectation   if       -        if       if      if      -          -
//	Expectation2  if       -        if       if      -       -          -
//
// Real alone is Ranged, and rings derived from it are.
//
// If: its parts decide, as the ring's doc comment says. Reverser is passed on by
// KBest, Series, Product and Lex. What one capability takes away is OneSided:
// LeftString and RightString are no semirings in the full sense, and algorithms that
// need the missing side refuse them.
//
// NaN propagates through all operations and infinities are not hidden either;
// they are never turned into errors here.
//
// # Speed
//
// The last three columns are bulk operations, which save calls and nothing else; a ring
// without them has the same answers, up to rounding:
//
//	Kernel       a sum of products, one call for all arcs of a    every path and tree sum,
//	             state; KernelOf folds with ⊕ and ⊗ instead       and posteriors
//	Scatterer    products added to the sums of two tails at once  forest.Outside
//	Sweeper      one call for all states of an acyclic graph      graph.PathSum, Forward …
//
// On a million arcs, ten to a state, a ring of float64 takes per arc about 7 ns
// without any, 1.9 ns with a Kernel and 1.3 ns with a Sweeper, whether it is Real
// or a user's; a loop written by hand takes 1.3. A ring of one's own should begin
// without any: package semiringtest tries whether it keeps what it promises, and the
// example shows what it has at once.
package semiring
