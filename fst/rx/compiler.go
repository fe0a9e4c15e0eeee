package rx

import (
	"errors"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Compiler compiles expressions into machines over one ring and one alphabet. It stores definitions
// and groups of parameters by name; a name has the same meaning in all expressions that it
// compiles. A Compiler must not be used by several goroutines at once.
type Compiler[W any] struct {
	// Groups returns the weights of the alternatives of groups, given the names of the groups and
	// of their alternatives: heads and tails for a coin; the given names, or else numbers from 0,
	// for a choice. Compile calls it once for all new groups of an expression and its definitions.
	// They are ordered from left to right, the group of an operator before the groups in its
	// operands. A nil function, the default, and nil weights mean that a group does not exist. See
	// Weights; for expressions to be trained,
	//
	//	compiler.Groups = em.Alternatives(params, nil)
	Groups func(groups []string, alternatives [][]string) (weights [][]W, err error)
	// Limit bounds the number of states and arcs that are made for one machine, including its
	// parts. 0, the default, stands for ten million. If repetitions and definitions would exceed
	// it, Compile fails before it makes any state.
	Limit int

	ring        semiring.Semiring[W]
	alphabet    *fst.Symbols
	other       int32                        // the label of fst.OtherName, or 0
	number      func(semiring.ScaledFloat) W // nil: the ring has no numbers
	one         func(W) bool
	empty       *fst.FST[W] // the empty string
	commutative bool
	definitions map[string]Definition
	bodies      map[*node]Expr        // by reference with arguments, or by each
	straight    map[string]bool       // definitions with parameters known not to be recursive
	pieces      map[piece]*fst.FST[W] // made in definitions
	copied      int                   // how much of the limit bodies have used
	machines    map[string]*fst.FST[W]
	groups      map[string]*group[W]
}

// defaultLimit is the default of Compiler.Limit. During compilation, ten million arcs take less
// than a gigabyte if a weight takes 8 bytes.
const defaultLimit = 10_000_000

// NewCompiler returns a Compiler for machines over ring. The symbols of alphabet, apart from label
// 0, are the only ones: a dot stands for one of them, and another symbol in an expression is an
// error. The symbol fst.OtherName stands for all others: see the package comment. The table must
// not change later.
//
// A number in an expression is converted to a weight of ring by semiring.FromScaled; in an
// expr.Space it is a constant. Rings without such a conversion allow only the numbers 0 and 1.
// NewCompiler panics if the ring or the alphabet is nil.
func NewCompiler[W any](ring semiring.Semiring[W], alphabet *fst.Symbols) *Compiler[W] {
	nonnil.Check("rx: NewCompiler", "ring", ring, "alphabet", alphabet)
	c := &Compiler[W]{
		ring: ring, alphabet: alphabet, one: equalTo(ring, ring.One()),
		empty:       fst.FromString(ring, nil).WithSymbols(alphabet, alphabet),
		commutative: semiring.LawsOf(ring).Has(semiring.Commutative),
		definitions: map[string]Definition{}, bodies: map[*node]Expr{}, straight: map[string]bool{}, pieces: map[piece]*fst.FST[W]{}, machines: map[string]*fst.FST[W]{}, groups: map[string]*group[W]{},
	}
	c.other, _ = alphabet.Find(fst.OtherName)
	if k, ok := semiring.As[constants[W]](ring); ok {
		c.number = k.Const
	} else if number, err := semiring.FromScaled(ring); err == nil {
		c.number = number
	}
	return c
}

// Load returns a Compiler with the definitions of a text, over the alphabet that Alphabet returns
// for them. Errors are as for ParseDefinitions, Alphabet and Compiler.Load.
func Load[W any](ring semiring.Semiring[W], text string) (*Compiler[W], error) {
	nonnil.Check("rx: Load", "ring", ring)
	ds, err := ParseDefinitions(text)
	if err != nil {
		return nil, err
	}
	alphabet, err := Alphabet(ds)
	if err != nil {
		return nil, err
	}
	c := NewCompiler(ring, alphabet)
	if err := c.DefineAll(ds); err != nil {
		return nil, err
	}
	return c, nil
}

// constants is a ring of expressions.
type constants[W any] interface {
	Const(c semiring.ScaledFloat) W
}

// equalTo returns a test for the weight w. If the ring does not implement semiring.Keyer, the test
// is always false.
func equalTo[W any](ring semiring.Semiring[W], w W) func(W) bool {
	keyer, ok := semiring.As[semiring.Keyer[W]](ring)
	if !ok {
		return func(W) bool { return false }
	}
	key := string(keyer.AppendKey(nil, w, 0))
	var buf []byte
	return func(x W) bool {
		buf = keyer.AppendKey(buf[:0], x, 0)
		return string(buf) == key
	}
}

// Define makes @name stand for e in all expressions. Names to which e refers may be defined later.
// The error wraps ErrName if there is a definition already, and ErrInvalid if e or the name is not
// valid.
func (c *Compiler[W]) Define(name string, e Expr) error {
	return c.define(Definition{Name: name, Expr: e})
}

func (c *Compiler[W]) define(d Definition) error {
	if err := c.free(d.Name); err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	c.definitions[d.Name] = d
	clear(c.straight)
	return nil
}

// DefineMachine makes @name stand for m, which is expanded if it is not frozen, with the errors of
// fst.Expand. The error wraps ErrName if name is defined already, and ErrInvalid if it is not valid
// or an arc writes fst.OtherName without reading it. It wraps fst.ErrMismatch if m is over another
// ring, or if its symbols differ from the alphabet. DefineMachine panics if m is nil.
func (c *Compiler[W]) DefineMachine(name string, m fst.Machine[W]) error {
	nonnil.Check("rx: DefineMachine", "machine", m)
	if err := c.free(name); err != nil {
		return err
	}
	f, err := fst.Expand(m, nil)
	if err == nil {
		err = fst.Err(fst.Union(c.empty, f))
	}
	if err != nil {
		return &Error{Definition: name, Err: err}
	}
	for s := range int32(f.NumStates()) {
		if slices.ContainsFunc(f.AppendArcs(nil, s), c.invents) {
			return &Error{Definition: name, Err: errInvents}
		}
	}
	c.machines[name] = f
	return nil
}

// free returns an error unless name is valid and not defined yet.
func (c *Compiler[W]) free(name string) error {
	if err := checkDefinition(name); err != nil {
		return &Error{Err: err}
	}
	_, e := c.definitions[name]
	_, m := c.machines[name]
	if e || m {
		return &Error{Definition: name, Err: invalid(ErrName, "%s is defined already", name)}
	}
	return nil
}

// Compile returns the machine of e, whose labels have the names of the alphabet. Every state is on
// a path from the start to a final state. There is one start, with the weight One, unless e itself
// is a composition, a reversal, rules or a machine that was defined, or gives every pair the weight
// Zero. MEANING.md describes the size of the machine.
//
// If there is an error, groups that were declared for e remain.
//
// The error is an *Error. It wraps one of these:
//
//   - ErrInvalid, ErrGroup, fst.ErrSymbol or semiring.ErrLimit;
//   - ErrName for a name that is not defined or is defined by itself;
//   - fst.ErrMismatch for a machine of another ring;
//   - fst.ErrInvalid for an operand of &, - or ~ that is not an acceptor;
//   - semiring.ErrCapability for numbers, compositions, reversals and closures that the ring does
//     not support;
//   - semiring.ErrDiverges for a closure, if the weight of the pair of empty strings
//     diverges.
func (c *Compiler[W]) Compile(e Expr) (*fst.FST[W], error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	if err := c.declare(e); err != nil {
		return nil, err
	}
	f, err := c.compilation().machine(e)
	if err != nil {
		return nil, e.node().fault(err)
	}
	if f, err = fst.Connect(f, nil); err != nil {
		return nil, e.node().fault(err)
	}
	return f.WithSymbols(c.alphabet, c.alphabet), nil
}

// Machine compiles the definition of a name: Compile of Ref(name).
func (c *Compiler[W]) Machine(name string) (*fst.FST[W], error) { return c.Compile(Ref(name)) }

// compilation returns the state of a new call of Compile.
func (c *Compiler[W]) compilation() *compilation[W] {
	return &compilation[W]{Compiler: c, left: c.limit()}
}

// limit returns the maximum number of states and arcs for one machine.
func (c *Compiler[W]) limit() int {
	if c.Limit <= 0 {
		return defaultLimit
	}
	return c.Limit
}

// within sets the definition of err, an *Error, to name, unless it is set already.
func within(name string, err error) error {
	if e, ok := err.(*Error); ok && e.Definition == "" {
		e.Definition = name
	}
	return err
}

// compilation is one call of Compile.
type compilation[W any] struct {
	*Compiler[W]
	left  int              // remaining states and arcs
	open  []string         // definitions that are being compiled
	calls map[string]int32 // the labels of definitions that are called instead of inserted
	whole int              // the number of enclosing operators on whole machines
	edge  int32            // the label of $ in the current context, 0 outside
}

// inside calls do with the expression to which n refers.
func (k *compilation[W]) inside(n *node, do func(e Expr) error) error {
	d, ok := k.definitions[n.name]
	if !ok {
		return n.fault(invalid(ErrName, "%s is not defined", n.name))
	}
	if i := slices.Index(k.open, n.name); i >= 0 && len(n.args) == 0 {
		return n.fault(selfish(append(k.open[i:], n.name)))
	}
	e, err := k.body(n, d)
	if err != nil {
		return err
	}
	k.open = append(k.open, n.name)
	defer func() { k.open = k.open[:len(k.open)-1] }()
	if err := e.node().fault(do(e)); err != nil {
		return within(n.name, err)
	}
	return nil
}

// letters returns the labels of the alphabet.
func (k *compilation[W]) letters() []int32 {
	var letters []int32
	for label := range k.alphabet.All() {
		if label != fst.Epsilon {
			letters = append(letters, label)
		}
	}
	return letters
}

// options returns options that limit an operation to the remaining states and arcs.
func (k *compilation[W]) options() *fst.Options { return &fst.Options{Limit: max(1, k.left)} }

// made subtracts the size of f, the result of an operation, from the limit and trims f.
func (k *compilation[W]) made(n *node, f *fst.FST[W], err error) (*fst.FST[W], error) {
	if errors.Is(err, semiring.ErrLimit) {
		err = k.tooLarge()
	}
	if err != nil {
		return nil, n.fault(err)
	}
	if err := k.spend(n, 1+f.NumStates()+f.NumArcs()); err != nil {
		return nil, err
	}
	return fst.Connect(f, nil)
}

// spend subtracts size states and arcs from the limit.
func (k *compilation[W]) spend(n *node, size int) error {
	if k.left -= size; k.left < 0 {
		return n.fault(k.tooLarge())
	}
	return nil
}

func (k *compilation[W]) tooLarge() error {
	return invalid(semiring.ErrLimit, "more than %d states and arcs", k.limit())
}
