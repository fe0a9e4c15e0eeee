// Package channel is the noisy channel: a source string passes through a cascade of transducers and
// is observed as another string, the target. With several branches it is observed as several
// strings.
//
// P(x, y) = ⟦T₁ ∘ T₂ ∘ … ∘ Tₙ⟧(x, y), where any of the machines may have parameters to be trained
// and any may be fixed: a language model, a channel that garbles symbols, a table that spells them
// differently. Training needs pairs (x, y) only, and no string in between. Decoding finds the best
// target of a source, or the best source of a target, by the sum over all paths that spell it.
//
//	p := em.NewParams()
//	spelling, err := channel.NewFertility(p, "spelling", sounds, letters, start, em.Multinomial{})
//	...
//	m := channel.New(p, spelling.Machine)
//	result, err := m.Fit(ctx, data, nil)
//	predictor, err := m.Predictor(nil)
//	found, err := predictor.Best(channel.Query{Source: []rune("CiS")}, channel.Target, 1)
//
// Which function:
//
//   - a cascade: [New]; a hidden string that is observed several times: [NewBranching]
//   - a stage in which a symbol becomes none, one or two symbols: [NewFertility]
//   - training for p(x, y): Model.Fit, of cascade.Model; for p(y | x): [Model.FitConditional]
//   - the best strings on a side, [Source], [Target] or [Between] two stages: [Predictor.Best];
//     their probabilities given the query: [Predictor.Posteriors]; ln p of a query:
//     [Predictor.LogProb]
//   - the most probable source, hidden strings and target together: [Predictor.Derivations]; random
//     ones: [Predictor.Sample]
//   - an nbest.Predictor, in either direction: [Predictor.Forward], [Predictor.Backward]
//   - all strings on a side, for other questions: [Predictor.Lattice]
//   - files: Model.Save, of cascade.Model; [Load]
//
// # Priors and branches
//
// Without a language model among the stages all sources have the same prior. The posteriors of the
// sources of a target are then proportional to p(y | x), if these have a finite sum.
//
// With branches, the cascade writes the hidden string, and each branch is a channel of its own: the
// hidden string is in the intersection of the strings that the branches allow.
package channel
