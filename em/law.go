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

// ErrNoMode is returned by the M step if the posterior has no mode: every α of a
// Dirichlet prior is below 1 and no count outweighs it, or the observations of a Gaussian
// without a prior have no spread.
var ErrNoMode = errors.New("posterior has no mode")

// A Law defines how the parameters of one group are constrained,
// started and re-estimated. In every method theta holds the group's θ. The θ that the
// library passes to Check is finite, and non-negative unless the law is a Valuer.
type Law interface {
	// Start fills theta with the default start.
	Start(theta []float64)
	// Random fills theta, which holds the default start, with a random one.
	Random(theta []float64, src rand.Source)
	// Check returns an error unless theta is valid.
	Check(theta []float64) error
	// LogPrior returns ln of the prior density of theta up to a constant.
	LogPrior(theta []float64) float64
	// Maximize replaces theta by the maximizer of
	// Σᵢ counts[i]·ln theta[i] + LogPrior(theta). If all counts are zero
	// and there is no prior, theta is unchanged.
	Maximize(theta, counts []float64) error
}

// Estimator is a Valuer whose parameters have different values in a trained model than during
// training.
type Estimator interface {
	Valuer
	// Estimate fills values with the values for the trained model.
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
// expected log probability of complete data is then Score instead of Σ counts·ln value.
type Scorer interface {
	Law
	// Score returns the expected log probability at theta of complete data with
	// these counts, up to a constant.
	Score(theta, counts []float64) float64
}

// Scalable is a Law of positive numbers without a sum constraint, the
// strengths of a model that is normalized as a whole. Sums over such a model converge
// if the strengths are small enough: Fit scales a start down until they do, unless
// the caller chose it.
type Scalable interface {
	Law
	// Scale multiplies the values of theta by exp(ln). It returns false and leaves theta
	// unchanged if the values are not free.
	Scale(theta []float64, ln float64) bool
}

// ErrCoordinates is returned if the law of a group lacks the methods that
// following a gradient needs.
var ErrCoordinates = errors.New("law has no coordinates")

// Coordinated is a Law with unconstrained coordinates, for
// methods that follow a gradient. A zero probability has no finite coordinate: it
// stays zero, and is not a coordinate.
//
// A law that embeds another and has its own Maximize for a constraint needs its own coordinates,
// which satisfy the constraint. Otherwise methods that follow a gradient return ErrMethod.
type Coordinated interface {
	Law
	// Dim returns the number of coordinates at theta.
	Dim(theta []float64) int
	// Coordinates fills x, of length Dim, with the coordinates of theta.
	Coordinates(x, theta []float64)
	// Theta replaces theta by the point with the coordinates x. Dim and the zeros are
	// taken from the old theta and do not change.
	Theta(theta, x []float64)
	// Gradient fills dx with the derivatives of a function with respect to the coordinates,
	// at theta. counts are its derivatives with respect to the ln of the values, or to the
	// quantities that the law documents. Gradient is linear in counts: Tangent's transpose.
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

// Prior is a Coordinated law whose LogPrior depends on the coordinates. It changes a gradient as
// additional counts would, which may depend on theta.
type Prior interface {
	Coordinated
	// AddPrior adds to counts the derivatives of LogPrior at theta with respect to the ln of the
	// values, or to the quantities that the law documents.
	AddPrior(counts, theta []float64)
	// AddPriorTangent adds to dcounts the change of AddPrior's terms as the coordinates change
	// by dx.
	AddPriorTangent(dcounts, theta, dx []float64)
}

// Bounded is a Coordinated law under which the objective may rise without bound: as a
// probability goes to 0 under a density that is infinite there, or as a variance goes to 0. Methods
// that follow a gradient would go there and end anywhere. They call Bounded, and end the start with
// its error.
type Bounded interface {
	Coordinated
	// Bounded returns an error that wraps ErrNoMode and gives the reason, if the objective rises
	// without bound as coordinates of theta change. counts are the counts of a whole E step at
	// theta, as Maximize gets them. They are nil before the first E step, and if they may be
	// differences.
	Bounded(theta, counts []float64) error
}

// Remarker is a Law that remarks on the trained θ, such as on an active bound.
type Remarker interface {
	Law
	// Remarks returns sentences without the name of the group; Result.Remarks adds it in front.
	Remarks(theta []float64) []string
}

// Sparse is a Coordinated law with a Laplace prior: its LogPrior contains
// −Σ weight·|coordinate|, which has no derivative at 0. AddPrior does not include it.
type Sparse interface {
	Coordinated
	// L1 fills weights, of length Dim, with the weight ≥ 0 of each coordinate.
	L1(weights, theta []float64)
}

// Fixed is the law of parameters that keep their values. The values need not sum to 1 unless
// they are a distribution: in cascade.Joint, cascade.Conditional, Alternatives, and wherever
// models have probabilities (Params.Distribution). Without Values each parameter starts at 1,
// or at the values of Group.SetStart.
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

// Check returns an error if there are Values and their number differs from len(theta).
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

// Coordinates does nothing: there are no coordinates.
func (Fixed) Coordinates(_, _ []float64) {}

// Theta leaves theta as it is.
func (Fixed) Theta(_, _ []float64) {}

// Gradient does nothing: there are no coordinates.
func (Fixed) Gradient(_, _, _ []float64) {}

// Tangent sets 0.
func (Fixed) Tangent(direction, _, _ []float64) { clear(direction) }

// GradientTangent does nothing: there are no coordinates.
func (Fixed) GradientTangent(_, _, _, _, _ []float64) {}

// ErrFormat is returned for invalid text of a saved model.
var ErrFormat = nested.ErrFormat

// kinds maps the types that can be saved as a value of an interface to names, which identify
// them in the text.
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

// lawKinds are the laws that can be saved with a model.
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

// RegisterLaw registers a type of law under a name, by which models that use it are saved and
// loaded. Its values are written and read by encoding/json. RegisterLaw panics if the name or
// the type is registered already; call it from init.
func RegisterLaw(name string, law Law) {
	if !lawKinds.add(name, law) {
		panic(fmt.Sprintf("em: RegisterLaw: %s or %T is registered already", name, law))
	}
}

// SavedLaw is a law that is written as JSON, and read again, by the name of its kind. The files of
// models contain it. Its errors wrap ErrFormat.
type SavedLaw struct{ Law }

// MarshalJSON writes the law as an object. A law that this package does not define must
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
