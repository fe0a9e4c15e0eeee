package beam

import (
	"context"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	// The default runner, and a runner for every engine with Beam's portable protocol.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"example.org/pathsum/internal/nested"
)

// Prism is the name of the default runner, which runs within the process of the driver.
const Prism = "prism"

// Init starts the worker, and does not return, in a process that an engine has
// started as a worker. In other processes it enables pipelines. Call it at the beginning of main,
// after flag.Parse: engines configure their workers by flags.
func Init() { sdk.Init() }

// Runner returns the name of the runner, by the flag -runner of Beam's SDK.
func Runner() string {
	if *runners.Runner == "" {
		return Prism
	}
	return *runners.Runner
}

// Run runs a pipeline to its end on the engine selected by the flags of Beam's SDK: -runner
// (default prism, within the process), -endpoint, -environment_type and others. README.md lists
// the flags for each engine. The program must import the runner, except for prism and
// universal; the latter works with any engine that supports Beam's portable protocol.
func Run(ctx context.Context, p *sdk.Pipeline) error {
	if !sdk.Initialized() {
		return nested.Errorf("beam: Init was not called")
	}
	_, err := sdk.Run(ctx, Runner(), p)
	return err
}
