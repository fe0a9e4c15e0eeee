// Package privacy releases statistics of people under local differential privacy: it
// randomizes each record before the record leaves its owner, and still estimates the mean
// of the statistics without bias.
//
// The idea: a mechanism draws an outcome o from S(o | s), and a record of it has an
// observation β(o) with E[β(o) | s] = s. So the mean of the observations of many records
// estimates the mean of the statistics, which is all that moment estimation needs. The
// privacy loss of a mechanism is sup over s, s', o of ln S(o|s)/S(o|s'): what anybody can
// learn from a record about the person behind it, whatever else they know. Neighbours are
// any two values, since each record is about one person.
//
//	domain, err := privacy.NewDomain(privacy.Range{Lo: 30, Hi: 150})
//	m, err := privacy.NewCoordinateRelease(domain, nil, epsilon, privacy.Tight)
//	s, err := domain.Clip([]float64{kg})
//	record, err := m.Release(s, nil)            // with each person
//	estimate, err := privacy.Mean(records)      // with whoever collects them
//
// # Which mechanism
//
//	NewRandomizedResponse  a category: itself with some probability, or else a random one
//	NewGroupRelease        a random group of statistics, as one randomized bit each
//	NewCoordinateRelease   groups of one: for dense statistics
//	NewPerValue            one group of all: for sparse statistics, with Optimized bits
//	                       for the indicators of a category
//
// # From the device to the mean
//
// A record is sent as JSON or in a binary form. Both have the fingerprint of its mechanism:
// a hash of the name φ and the domain of the statistics, the groups, and all probabilities. A
// Collector reads records of mechanisms that it made itself, by the same functions, and
// refuses all others:
//
//	text, err := record.MarshalJSON()             // on the device, to be sent
//	c := privacy.NewCollector(m, another)         // where records are collected
//	estimate, err := privacy.Mean(c.Records(file)) // of any number of records
//
// Mean, and Tally, which it is made of, keep counts of outcomes only. They refuse records of
// other statistics, and weigh several mechanisms, or ε, by their precision.
//
// Several records of one person tell more than one: a Ledger adds up what they lose. One
// that OpenLedger keeps in a file has each entry on disk before its record is released.
//
// # Declared ranges
//
// Statistics have ranges, declared in a Domain before any data are seen. A mechanism takes
// Statistics only, which come from Domain.Check (values outside are an error) or
// Domain.Clip (values outside are moved to the end of the range). A Record comes from a
// mechanism only. So no record can be made of values outside their ranges: whatever is
// wrong gives an error and no record. Errors and running times depend on the data; they are
// for the owner of the data alone.
//
// # Exactness
//
// Every probability of a mechanism is an integer over 2⁶³, and a draw compares integers: no
// outcome has more or less probability than the mechanism accounts for. (Mechanisms that
// compare floating-point numbers, or add floating-point noise, leak: Mironov 2012.) The
// integers are chosen below the requested ε by exponentials bounded in multiple precision.
// Loss is the privacy loss of these integers, rounded up: at most the ε asked for, never
// less than the truth, and above it by less than one unit in the last place.
// EnumeratedLoss finds the same without a formula.
//
// Observations are of these integers, too. They are unbiased but for rounding. A statistic
// is rounded to a multiple of 2⁻⁶³ of its range. Probabilities are rounded as well, which
// counts 1/(2q−1) times if a bit is true with probability q.
//
// Sources: Warner 1965; Raghunathan, Frostig, Duchi and Liang 2016, §3; for Optimized bits
// Wang, Blocki, Li and Jha 2017, "Locally differentially private protocols for frequency
// estimation".
package privacy
