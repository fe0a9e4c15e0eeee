package rx

import (
	"errors"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Compiler turns expressions into machines over one ring, whose labels are those
// of one alphabet. What it remembers is names: of definitions and of groups of
// parameters, which mean the same in all expressions that it compiles. It belongs
// to one goroutine.
type Compiler[W any] struct {
	// Groups returns the weights of the alternatives of groups, given their names and those
	// of their alternatives: of a coin, heads and tails; of a choice, those that it gives
	// them, or else numbers from 0. It is asked once for each group. An expression that is
	// compiled asks at once for all that it and its definitions name and that no other
	// has named: from left to right, and for the name of an operator before those in its
	// operands. Nil, the default, and nil weights mean that there is no such group.
	// See Weights; for expressions to be trained,
	//
	//	compiler.Groups = em.Alternatives(params, nil)
	Groups func(groups []string, alternatives [][]string) (weights [][]W, err error)
	// Limit bounds the states and arcs that are made for one machine, those of its
	// parts included. 0, the default, stands for ten million. Repetitions and definitions that
	// would make more are refused before anything is made.
	Limit int

	ring        semiring.Semiring[W]
	alphabet    *fst.Symbols
	other       int32                        // the label of fst.OtherName, 0 for none
	number      func(semiring.ScaledFloat) W // nil: the ring has no numbers
	one         func(W) bool
	empty       *fst.FST[W] // the empty string
	commutative bool
	definitions map[string]Definition
	bodies      map[*node]Expr        // of references with arguments
	straight    map[string]bool       // definitions with parameters that do not need themselves
	pieces      map[piece]*fst.FST[W] // made in definitions
	copied      int                   // how much of the limit these have taken
	machines    map[string]*fst.FST[W]
	groups      map[string]*group[W]
}

// defaultLimit is the default of Compiler.Limit. That many arcs take less than a
// gigabyte while they are made, if a weight takes 8 bytes.
const defaultLimit = 10_000_000

// NewCompiler returns a Compiler to machines over ring. The symbols of alphabet,
// apart from label 0, are all that there are: a dot stands for one of them, and
// another symbol in an expression is an error. One that is called fst.OtherName stands for all
// others: see the package comment. The table must not change later.
//
// A number in an expression is the weight that stands for it in ring: see
// semiring.FromScaled; in an expr.Space it is a constant. Other rings do for
// expressions without numbers other than 0 and 1. NewCompiler panics if the ring or the
// alphabet is nil.
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

// Load returns a Compiler that knows the definitions of a text, and whose alphabet is what
// they name: see Alphabet. The error is that of ParseDefinitions, Alphabet or Compiler.Load.
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

// equalTo returns a test for the weight w; it never holds if the ring cannot
// tell.
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

// Define makes @name stand for e in all expressions. Names that e itself refers
// to may be defined later. The error wraps ErrName if there is a definition
// already, and ErrInvalid if e or the name is not valid.
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

// DefineMachine makes @name stand for m, which is expanded if it is not frozen, with the errors
// of fst.Expand. The error wraps ErrName if there is a definition already, and ErrInvalid if the
// name is not valid, or an arc writes fst.OtherName that does not read it. It wraps
// fst.ErrMismatch if m is over another ring, or has names for its labels that differ from the
// alphabet. It panics if m is nil.
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

// free returns nil if name may be defined.
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

// Compile returns the machine of e, whose labels have the names of the alphabet.
// Every state is on a path from the start to a final state. There is one start,
// and its weight is One, unless e is nothing but a composition, a reversal, rules or a
// machine that was defined, or e gives every pair the weight Zero. The package
// comment says how large the machine is.
//
// Groups that were made for e remain if there is an error.
//
// The error is an *Error. It wraps one of these:
//
//   - ErrInvalid, ErrGroup, fst.ErrSymbol or semiring.ErrLimit;
//   - ErrName for a name that is not defined or is defined by itself;
//   - fst.ErrMismatch for a machine of another ring;
//   - fst.ErrInvalid for an operand of &, - or ~ that is no acceptor;
//   - semiring.ErrCapability for numbers, compositions, reversals and closures that the
//     ring does not have;
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

// compilation begins a compilation.
func (c *Compiler[W]) compilation() *compilation[W] {
	return &compilation[W]{Compiler: c, left: c.limit()}
}

// limit returns how many states and arcs may be made for one machine.
func (c *Compiler[W]) limit() int {
	if c.Limit <= 0 {
		return defaultLimit
	}
	return c.Limit
}

// within returns err, an *Error, as one of the definition name, unless it is of
// another one.
func within(name string, err error) error {
	if e, ok := err.(*Error); ok && e.Definition == "" {
		e.Definition = name
	}
	return err
}

// compilation is one call of Compile.
type compilation[W any] struct {
	*Compiler[W]
	left  int              // how many more
	open  []string         // definitions that are being compiled
	calls map[string]int32 // the labels of definitions that are called, not put in
	whole int              // how many operators around this need all of their operands
	edge  int32            // the label of $ in the context that is being compiled, 0 outside
}

// inside calls do with the expression that n refers to.
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

// options bounds the work of an operation.
func (k *compilation[W]) options() *fst.Options { return &fst.Options{Limit: max(1, k.left)} }

// made takes account of a machine that an operation has made.
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

// spend takes size states and arcs off the limit.
func (k *compilation[W]) spend(n *node, size int) error {
	if k.left -= size; k.left < 0 {
		return n.fault(k.tooLarge())
	}
	return nil
}

func (k *compilation[W]) tooLarge() error {
	return invalid(semiring.ErrLimit, "more than %d states and arcs", k.limit())
}
