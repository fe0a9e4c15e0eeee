package em

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// ErrNoMode is wrapped by the M step's error for a posterior without a mode: a
// Dirichlet prior with every α below 1 and no count that outweighs it, or a Gaussian
// without a prior whose observations do not spread.
var ErrNoMode = errors.New("posterior has no mode")

// A Law says how the parameters of one group are constrained,
// started and re-estimated. In every method theta holds the group's θ. What the
// library passes to Check is finite, and non-negative unless the law is a Valuer.
type Law interface {
	// Start fills theta with the default start.
	Start(theta []float64)
	// Random fills theta, which holds the default start, with a random one.
	Random(theta []float64, src rand.Source)
	// Check returns an error that says why theta is not legal, or nil.
	Check(theta []float64) error
	// LogPrior returns ln of the prior density of theta up to a constant.
	LogPrior(theta []float64) float64
	// Maximize replaces theta by the maximizer of
	// Σᵢ counts[i]·ln theta[i] + LogPrior(theta). If the counts say nothing
	// (they are all zero and there is no prior) theta stays as it is.
	Maximize(theta, counts []float64) error
}

// Estimator is a Valuer with other values for the use of a trained model than for
// training it.
type Estimator interface {
	Valuer
	// Estimate fills values with those to use.
	Estimate(values []semiring.ScaledFloat, theta []float64)
}

// Valuer is a Law under which the value of a parameter, as a factor
// of a weight, is not its θ itself.
type Valuer interface {
	Law
	// Values fills values with the group's values at theta.
	Values(values []semiring.ScaledFloat, theta []float64)
}

// Scorer is a Law whose parameters are not all factors of weights. The
// expected log probability of complete data is not Σ counts·ln value then, but what
// it says.
type Scorer interface {
	Law
	// Score returns the expected log probability at theta of complete data with
	// these counts, up to a constant.
	Score(theta, counts []float64) float64
}

// Scalable is a Law of positive numbers that need not sum to anything, the
// strengths of a model that is normalized as a whole. Sums over such a model have a value
// where the strengths are small enough: Fit scales a start down until they have, unless
// the caller chose it.
type Scalable interface {
	Law
	// Scale multiplies the values of theta by exp(ln); false, and nothing, if they are
	// not free.
	Scale(theta []float64, ln float64) bool
}

// ErrCoordinates is wrapped by the error for a group whose law lacks what
// a method that follows a gradient needs.
var ErrCoordinates = errors.New("law has no coordinates")

// Coordinated is a Law with coordinates that are free of constraints, for
// methods that follow a gradient. A zero probability has no finite coordinate: it
// stays zero, and is no coordinate.
//
// A law that embeds another and has a Maximize of its own for a constraint needs coordinates of its
// own, which keep to it: methods that follow a gradient refuse it otherwise (ErrMethod).
type Coordinated interface {
	Law
	// Dim returns the number of coordinates at theta.
	Dim(theta []float64) int
	// Coordinates fills x, of length Dim, with the coordinates of theta.
	Coordinates(x, theta []float64)
	// Theta replaces theta, from which it takes Dim and the zeros, by the point
	// with the coordinates x. Dim is the same there.
	Theta(theta, x []float64)
	// Gradient fills dx with the derivatives by the coordinates, at theta, of a
	// function whose derivatives by the ln of the values (or what the law says) are
	// counts. It is linear in counts: Tangent's transpose.
	Gradient(dx, theta, counts []float64)
}

// Curved is a Coordinated law with second derivatives.
type Curved interface {
	Coordinated
	// Tangent fills direction with the change of the ln of the values as the
	// coordinates change by dx.
	Tangent(direction, theta, dx []float64)
	// GradientTangent fills ddx with the change of Gradient as the coordinates
	// change by dx and counts by dcounts.
	GradientTangent(ddx, theta, counts, dx, dcounts []float64)
}

// Prior is a Coordinated law whose LogPrior depends on the coordinates. It acts on a gradient like
// counts: they may depend on theta.
type Prior interface {
	Coordinated
	// AddPrior adds to counts the derivatives of LogPrior at theta by the ln of the values (or
	// what the law says).
	AddPrior(counts, theta []float64)
	// AddPriorTangent adds to dcounts the change of what AddPrior adds as the coordinates change
	// by dx.
	AddPriorTangent(dcounts, theta, dx []float64)
}

// Bounded is a Coordinated law under which the objective may rise without bound: where a
// probability goes to 0 under a density that is infinite there, or a variance does. Methods that
// follow a gradient would go there and end anywhere. They ask Bounded, and end the start with its
// error.
type Bounded interface {
	Coordinated
	// Bounded returns an error that wraps ErrNoMode and says why, if the objective rises
	// without bound as coordinates of theta change. counts are those of a whole E step at
	// theta, as Maximize gets them; they are nil where there are none yet, or where they may be
	// differences.
	Bounded(theta, counts []float64) error
}

// Remarker is a Law that remarks on the θ to which training has led, such as a bound that acts.
type Remarker interface {
	Law
	// Remarks returns sentences without the name of the group, which Result.Remarks puts in front.
	Remarks(theta []float64) []string
}

// Sparse is a Coordinated law with a Laplace prior: its LogPrior contains
// −Σ weight·|coordinate|, which has no derivative at 0 and is no part of AddPrior.
type Sparse interface {
	Coordinated
	// L1 fills weights, of length Dim, with the weight ≥ 0 of each coordinate.
	L1(weights, theta []float64)
}

// Fixed is a group whose parameters keep their values, which need not sum to anything but where
// they are a distribution: in cascade.Joint, cascade.Conditional, Alternatives, and wherever
// models have probabilities (Params.Distribution). Without Values each starts at 1
// (Group.SetStart may say otherwise).
type Fixed struct {
	Values []float64
}

// Start sets the values.
func (f Fixed) Start(theta []float64) {
	if f.Values != nil {
		copy(theta, f.Values)
		return
	}
	for i := range theta {
		theta[i] = 1
	}
}

// Random leaves theta as it is.
func (Fixed) Random([]float64, rand.Source) {}

// Check asks for as many Values as parameters, if there are any.
func (f Fixed) Check(theta []float64) error {
	if f.Values != nil && len(f.Values) != len(theta) {
		return fmt.Errorf("%d fixed values for %d parameters", len(f.Values), len(theta))
	}
	return nil
}

// LogPrior is 0.
func (Fixed) LogPrior([]float64) float64 { return 0 }

// Maximize leaves theta as it is.
func (Fixed) Maximize(_, _ []float64) error { return nil }

// Dim returns 0.
func (Fixed) Dim([]float64) int { return 0 }

// Coordinates has none to set.
func (Fixed) Coordinates(_, _ []float64) {}

// Theta leaves theta as it is.
func (Fixed) Theta(_, _ []float64) {}

// Gradient has none to set.
func (Fixed) Gradient(_, _, _ []float64) {}

// Tangent sets 0.
func (Fixed) Tangent(direction, _, _ []float64) { clear(direction) }

// GradientTangent has none to set.
func (Fixed) GradientTangent(_, _, _, _, _ []float64) {}

// ErrFormat is wrapped by errors about the text of a saved model.
var ErrFormat = nested.ErrFormat

// kinds are types that can be saved as a value of an interface: a name for each, by
// which the text tells them.
type kinds struct {
	mu    sync.RWMutex
	types map[string]reflect.Type
	names map[reflect.Type]string
}

func newKinds(values map[string]any) *kinds {
	k := &kinds{types: map[string]reflect.Type{}, names: map[reflect.Type]string{}}
	for name, v := range values {
		k.add(name, v)
	}
	return k
}

// add reports whether both name and type are new.
func (k *kinds) add(name string, v any) bool {
	t := reflect.TypeOf(v)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.types[name] != nil || k.names[t] != "" {
		return false
	}
	k.types[name], k.names[t] = t, name
	return true
}

// tagged is the text of a value.
type tagged struct {
	Kind  string          `json:"kind"`
	Value json.RawMessage `json:"value"`
}

func (k *kinds) save(v any) (tagged, error) {
	k.mu.RLock()
	name := k.names[reflect.TypeOf(v)]
	k.mu.RUnlock()
	if name == "" {
		return tagged{}, fmt.Errorf("%w: the type %T is not registered", ErrFormat, v)
	}
	text, err := json.Marshal(v)
	return tagged{name, text}, err
}

func (k *kinds) load(t tagged) (any, error) {
	k.mu.RLock()
	kind := k.types[t.Kind]
	k.mu.RUnlock()
	if kind == nil {
		return nil, fmt.Errorf("unknown kind %s", text.Quote(t.Kind))
	}
	v := reflect.New(kind)
	if err := json.Unmarshal(t.Value, v.Interface()); err != nil {
		return nil, nested.Errorf("%s: %w", t.Kind, err)
	}
	if kind.Kind() == reflect.Pointer && v.Elem().IsNil() {
		return nil, fmt.Errorf("%s: null", t.Kind)
	}
	return v.Elem().Interface(), nil
}

// lawKinds are those that models are saved with.
var lawKinds = newKinds(map[string]any{
	"multinomial": Multinomial{},
	"dirichlet":   Dirichlet{},
	"variational": Variational{},
	"exponents":   Exponents{},
	"fixed":       Fixed{},
	"gaussian":    Gaussian{},
	"tied":        TiedGaussian{},
	"poisson":     Poisson{},
	"loglinear":   (*LogLinear)(nil),
})

// RegisterLaw gives a type of law a name by which models that use it are saved and
// loaded. Its values are written and read by encoding/json. It panics if the name or
// the type is registered already; call it from init.
func RegisterLaw(name string, law Law) {
	if !lawKinds.add(name, law) {
		panic(fmt.Sprintf("em: RegisterLaw: %s or %T is registered already", name, law))
	}
}

// SavedLaw is a law that is written as JSON, and read again, by the name of its kind:
// for the files of models. Its errors wrap ErrFormat.
type SavedLaw struct{ Law }

// MarshalJSON writes the law as an object. One that is not of a kind of this package must
// have been registered with RegisterLaw.
func (l SavedLaw) MarshalJSON() ([]byte, error) {
	t, err := lawKinds.save(l.Law)
	if err != nil {
		return nil, err
	}
	return json.Marshal(t)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (l *SavedLaw) UnmarshalJSON(text []byte) error {
	var t tagged
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	v, err := lawKinds.load(t)
	if err != nil {
		return nested.Errorf("%w: %w", ErrFormat, err)
	}
	l.Law = v.(Law)
	return nil
}
