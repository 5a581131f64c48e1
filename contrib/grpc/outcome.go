package grpclimit

import (
	"strings"

	"github.com/sweetspot-go/sweetspot"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ErrorOutcome maps the error of a call to an outcome:
//
//   - [sweetspot.Overloaded]: ResourceExhausted, Unavailable, DeadlineExceeded;
//   - [sweetspot.Ignored]: Canceled, Unknown, Internal, DataLoss, Unimplemented and
//     other codes that are not an answer, because a quick failure must not look fast;
//   - [sweetspot.Done]: nil, and codes that are answers: InvalidArgument, NotFound,
//     AlreadyExists, PermissionDenied, Unauthenticated, FailedPrecondition, OutOfRange,
//     Aborted.
//
// An error of a context counts as the code that gRPC gives it. A too large message
// (ResourceExhausted as well) is ignored, because it fails at any number of calls.
func ErrorOutcome(err error) sweetspot.Outcome {
	if err == nil {
		return sweetspot.Done
	}
	s, ok := status.FromError(err)
	if !ok {
		s = status.FromContextError(err)
	}
	switch s.Code() {
	case codes.ResourceExhausted:
		// Only the text tells; grpc-go has used these words since its first
		// version.
		if strings.Contains(s.Message(), " larger than max ") {
			return sweetspot.Ignored
		}
		return sweetspot.Overloaded
	case codes.Unavailable, codes.DeadlineExceeded:
		return sweetspot.Overloaded
	case codes.OK, codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.PermissionDenied,
		codes.Unauthenticated, codes.FailedPrecondition, codes.OutOfRange, codes.Aborted:
		return sweetspot.Done
	}
	return sweetspot.Ignored
}

// HandlerOutcome maps the error of a handler to an outcome: it is [ErrorOutcome],
// except that nothing is [sweetspot.Overloaded]. ResourceExhausted, Unavailable and
// DeadlineExceeded are Ignored. A handler that returns them answers one client, such as
// a tenant over its quota or with a short deadline, and that must not take anything
// from the others.
func HandlerOutcome(err error) sweetspot.Outcome {
	if o := ErrorOutcome(err); o != sweetspot.Overloaded {
		return o
	}
	return sweetspot.Ignored
}
