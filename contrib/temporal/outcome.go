package temporallimit

import (
	"context"
	"errors"

	"github.com/sweetspot-go/sweetspot"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ErrorOutcome maps the error of an activity to an outcome:
//
//   - [sweetspot.Overloaded]: a context's deadline, a *temporal.TimeoutError, and
//     errors with the gRPC codes ResourceExhausted, Unavailable or DeadlineExceeded,
//     such as those of Temporal's own services;
//   - [sweetspot.Done]: nil and activity.ErrResultPending;
//   - [sweetspot.Ignored]: all others, because a quick failure must not look fast.
//
// These count anywhere in the chain of err: an application error counts as its cause
// from [temporal.NewApplicationErrorWithCause]. If an activity's service says "too
// much" in another way, write your own function.
func ErrorOutcome(err error) sweetspot.Outcome {
	var timeout *temporal.TimeoutError
	switch {
	case err == nil, errors.Is(err, activity.ErrResultPending):
		return sweetspot.Done
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout):
		return sweetspot.Overloaded
	}
	switch codeOf(err) {
	case codes.ResourceExhausted, codes.Unavailable, codes.DeadlineExceeded:
		return sweetspot.Overloaded
	}
	return sweetspot.Ignored
}

// codeOf returns the gRPC code of err, Unknown if it has none.
func codeOf(err error) codes.Code {
	var service interface{ Status() *status.Status } // the errors of Temporal's services
	if errors.As(err, &service) {
		return service.Status().Code()
	}
	return status.Code(err)
}
