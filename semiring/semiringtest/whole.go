package semiringtest

import (
	"fmt"
	"reflect"

	"example.org/pathsum/semiring"
)

// whole looks for methods that look like those of a capability that the ring lacks: one
// of them forgotten or with another signature, and the capability is silently not there.
// Derived rings, which answer by As, have the methods for other weights and are left out.
func (c *checker[W]) whole() {
	t := reflect.TypeOf(c.ring)
	if _, derived := t.MethodByName("As"); derived {
		return
	}
	capabilities := []reflect.Type{
		reflect.TypeFor[semiring.Semiring[W]](),
		reflect.TypeFor[semiring.Closed[W]](),
		reflect.TypeFor[semiring.Divider[W]](),
		reflect.TypeFor[semiring.Negater[W]](),
		reflect.TypeFor[semiring.Ordered[W]](),
		reflect.TypeFor[semiring.Metric[W]](),
		reflect.TypeFor[semiring.Prober[W]](),
		reflect.TypeFor[semiring.Ranged[W]](),
		reflect.TypeFor[semiring.Lawful](),
		reflect.TypeFor[semiring.OneSided](),
		reflect.TypeFor[semiring.Keyer[W]](),
		reflect.TypeFor[semiring.Texter[W]](),
		reflect.TypeFor[semiring.Reverser[W]](),
		reflect.TypeFor[semiring.Kernel[W]](),
		reflect.TypeFor[semiring.TreeKernel[W]](),
		reflect.TypeFor[semiring.Scatterer[W]](),
		reflect.TypeFor[semiring.Sweeper[W]](),
		reflect.TypeFor[semiring.BlockFloat[W]](),
	}
	explained := map[string]bool{} // methods of capabilities that the ring has
	for _, capability := range capabilities {
		if t.Implements(capability) {
			for i := range capability.NumMethod() {
				explained[capability.Method(i).Name] = true
			}
		}
	}
	for _, capability := range capabilities {
		for i := range capability.NumMethod() {
			name := capability.Method(i).Name
			if _, has := t.MethodByName(name); has && !explained[name] {
				c.report(false, "capabilities are whole",
					fmt.Sprintf("%v has a method %s but is no %s: some method is missing or has another signature", t, name, capability), nil)
			}
		}
	}
}
