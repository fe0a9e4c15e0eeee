// Package privacy releases statistics of people under local differential privacy: it randomizes
// each record before the record leaves its owner, and still estimates the mean of the statistics
// without bias.
//
// A mechanism draws an outcome o from S(o | s), and a record of it has an observation β(o) with
// E[β(o) | s] = s. So the mean of the observations estimates the mean of the statistics. The
// privacy loss bounds the information that a record reveals, whatever else is known: it is the
// greatest ln S(o|s)/S(o|s') over s, s' and o.
//
//	domain, err := privacy.NewDomain(privacy.Range{Lo: 30, Hi: 150}, privacy.Range{Lo: 1.2, Hi: 2.2})
//	mechanism, err := privacy.NewCoordinateRelease(domain, nil, 2, privacy.Tight)
//	...
//	s, err := domain.Clip([]float64{kg, m})
//	r, err := mechanism.Release(s, source)       // with each person; a nil source is crypto/rand
//	...
//	e, err := privacy.Mean(privacy.All(records)) // with whoever collects them
//
// Which function:
//
//   - the possible values of statistics, declared before any data are seen: [NewDomain]
//   - a category: [NewRandomizedResponse]
//   - dense statistics, one of them for each person: [NewCoordinateRelease]
//   - sparse statistics, all of them at once: [NewPerValue]; groups: [NewGroupRelease]
//   - a mechanism restricted to the statistics, from one that releases more: [NewSufficient]
//   - the mean, with standard errors: [Mean]; incrementally, and in parts: [Tally]
//   - a model of the answers: [Estimate.Total], [RandomizedResponse.Replacement], and package
//     moments
//   - records that were sent, as JSON or binary: [NewCollector]
//   - several records of one person: [NewLedger], [OpenLedger], [Spend]
//   - a check of the loss: [EnumeratedLoss]
//
// # From the device to the mean
//
// A record is sent as JSON or in a binary form. Both have the fingerprint of its mechanism: a hash
// of the name φ and the domain of the statistics, the groups, and all probabilities. A Collector
// takes mechanisms made by the same functions, reads their records, and rejects all others:
//
//	text, err := record.MarshalJSON()              // on the device, to be sent
//	c := privacy.NewCollector(m, another)          // where records are collected
//	estimate, err := privacy.Mean(c.Records(file)) // of any number of records
//
// Mean, and Tally, which it uses, store only counts of outcomes. They reject records of other
// statistics, and weight several mechanisms, or ε, by their precision.
//
// # Declared ranges
//
// A mechanism takes Statistics only, which come from Domain.Check (values outside are an error) or
// Domain.Clip (they are moved to the end of the range). A Record comes only from a mechanism. So no
// record can be made of values outside their ranges: every fault results in an error and no record.
// Errors and running times depend on the data; only the owner of the data may see them.
//
// # Exactness
//
// Every probability of a mechanism is an integer over 2⁶³, and a draw compares integers: no outcome
// has more or less probability than the mechanism accounts for. (Mechanisms that compare
// floating-point numbers, or add floating-point noise, leak: Mironov 2012.) The integers are chosen
// below the requested ε by exponentials bounded in multiple precision. Loss is the loss of these
// integers, rounded up: at most the requested ε, never less than the exact loss, and above it by
// less than one unit in the last place.
//
// Observations are computed from these integers, too, and unbiased except for rounding. A statistic
// is rounded to a multiple of 2⁻⁶³ of its range. The rounding of probabilities is multiplied by
// 1/(2q−1) if a bit is true with probability q.
//
// Sources: Warner 1965; Raghunathan, Frostig, Duchi and Liang 2016, §3; for Optimized bits Wang,
// Blocki, Li and Jha 2017, "Locally differentially private protocols for frequency estimation".
package privacy
