// Package channel is the noisy channel: a source string passes through a cascade
// of transducers and is observed as another.
//
// The idea: P(x, y) = ⟦T₁ ∘ T₂ ∘ … ∘ Tₙ⟧(x, y), where any of the machines may have
// parameters to be trained and any may be fixed: a language model, a channel
// that garbles symbols, a table that spells them differently. Training needs
// pairs (x, y) only, and no string of any tape in between; decoding finds the
// best output of an input, or the best source of an observation, by the
// probability of the *string*, which is shared by all the paths that spell it.
//
// Model is the cascade; Decoder answers queries; Spread is a stage that many
// applications need, in which a symbol becomes none, one or two symbols.
package channel
