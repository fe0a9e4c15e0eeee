package em

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// ErrFormat is wrapped by errors about the text of a saved model.
var ErrFormat = errors.New("bad model file")

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
		return nil, fmt.Errorf("unknown kind %q", t.Kind)
	}
	v := reflect.New(kind)
	if err := json.Unmarshal(t.Value, v.Interface()); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Kind, err)
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
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	l.Law = v.(Law)
	return nil
}

// stepKinds are the M steps of log-linear models.
var stepKinds = newKinds(map[string]any{"exact": Exact{}, "partial": Partial{}, "scaling": Scaling{}})

// logLinearText is the text of a LogLinear law.
type logLinearText struct {
	Strengths int        `json:"strengths"`
	Sets      [][][]Term `json:"sets"`
	Sigma     float64    `json:"sigma,omitempty"`
	Scale     float64    `json:"scale,omitempty"`
	Step      tagged     `json:"step"`
}

// MarshalJSON writes the law as an object.
func (l *LogLinear) MarshalJSON() ([]byte, error) {
	t := logLinearText{Strengths: l.d, Sigma: l.options.Sigma, Scale: l.options.Scale}
	for s, lo := range l.set[:len(l.set)-1] {
		set := make([][]Term, 0, l.set[s+1]-lo)
		for o := lo; o < l.set[s+1]; o++ {
			set = append(set, l.terms[l.row[o]:l.row[o+1]])
		}
		t.Sets = append(t.Sets, set)
	}
	var err error
	if t.Step, err = stepKinds.save(l.options.Step); err != nil {
		return nil, err
	}
	return json.Marshal(t)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (l *LogLinear) UnmarshalJSON(text []byte) error {
	var t logLinearText
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	step, err := stepKinds.load(t.Step)
	if err != nil {
		return err
	}
	law, err := NewLogLinear(t.Strengths, t.Sets, LogLinearOptions{Sigma: t.Sigma, Scale: t.Scale, Step: step.(LogLinearStep)})
	if err != nil {
		return err
	}
	*l = *law
	return nil
}
