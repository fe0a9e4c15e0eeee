package em

import (
	"sync"
	"weak"
)

// spare keeps a vector of counts from one Fit to the next, unless the memory is collected in
// between. Each of several Fits at once has its own.
type spare struct {
	mutex  sync.Mutex
	vector weak.Pointer[[]float64]
}

// take returns the vector, nil if there is none.
func (s *spare) take() []float64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	v := s.vector.Value()
	s.vector = weak.Pointer[[]float64]{}
	if v == nil {
		return nil
	}
	return *v
}

// keep keeps v, which nobody uses any more.
func (s *spare) keep(v []float64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.vector = weak.Make(&v)
}
