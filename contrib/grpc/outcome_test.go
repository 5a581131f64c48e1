package grpclimit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	grpclimit "github.com/sweetspot-go/sweetspot/contrib/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestErrorOutcome(t *testing.T) {
	const d, i, o = sweetspot.Done, sweetspot.Ignored, sweetspot.Overloaded
	want := map[codes.Code]sweetspot.Outcome{
		codes.OK: d, codes.Canceled: i, codes.Unknown: i, codes.InvalidArgument: d, codes.DeadlineExceeded: o,
		codes.NotFound: d, codes.AlreadyExists: d, codes.PermissionDenied: d, codes.ResourceExhausted: o,
		codes.FailedPrecondition: d, codes.Aborted: d, codes.OutOfRange: d, codes.Unimplemented: i,
		codes.Internal: i, codes.Unavailable: o, codes.DataLoss: i, codes.Unauthenticated: d, 99: i,
	}
	for code := range codes.Code(17) {
		if _, ok := want[code]; !ok {
			t.Errorf("%v is not tested", code)
		}
	}
	for code, want := range want {
		if got := grpclimit.ErrorOutcome(status.Error(code, "so")); got != want {
			t.Errorf("%v: %v, want %v", code, got, want)
		}
		if want == o {
			want = i
		}
		if got := grpclimit.HandlerOutcome(status.Error(code, "so")); got != want {
			t.Errorf("a handler's %v: %v, want %v", code, got, want)
		}
	}
	for _, test := range []struct {
		err  error
		want sweetspot.Outcome
	}{
		{nil, d},
		{errors.New("so"), i},
		{context.Canceled, i},
		{context.DeadlineExceeded, o},
		{fmt.Errorf("so: %w", context.DeadlineExceeded), o},
		{fmt.Errorf("so: %w", status.Error(codes.Unavailable, "so")), o},
		{status.Error(codes.ResourceExhausted, "grpc: received message larger than max (5 vs. 4)"), i},
	} {
		if got := grpclimit.ErrorOutcome(test.err); got != test.want {
			t.Errorf("%v: %v, want %v", test.err, got, test.want)
		}
	}
}
