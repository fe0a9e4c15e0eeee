package em

import "errors"

// ErrSymmetric is wrapped by the errors of models for a start from which training can
// never tell two hidden states apart: they are alike in all that it sees of them, so that
// every step leaves them alike.
var ErrSymmetric = errors.New("symmetric start")
