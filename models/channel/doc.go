// Package channel is the noisy channel: a source string passes through a cascade
// of transducers and is observed as another, or, by several branches, as others.
//
// The idea: P(x, y) = ⟦T₁ ∘ T₂ ∘ … ∘ Tₙ⟧(x, y), where any of the machines may have
// parameters to be trained and any may be fixed: a language model, a channel
// that garbles symbols, a table that spells them differently. Training needs
// pairs (x, y) only, and no string in between; decoding finds the
// best output of an input, or the best source of an observation, by the
// probability of the *string*, which is shared by all the paths that spell it.
//
// Where one hidden string is observed several times, each time through a channel of its
// own, the cascade writes the hidden string and the channels are branches: what is known of
// it is the intersection of what each channel leaves possible.
//
// Model is the cascade with its branches, trained by Fit or FitConditional, and saved and
// loaded; a Predictor answers queries about any of its strings, and is, in either direction,
// an nbest.Predictor; Fertility is a stage that many applications need, in which a symbol becomes
// none, one or two symbols.
package channel
