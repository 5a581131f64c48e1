package temporallimit_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// A frontend is as much of Temporal's service as a worker of activities needs: a
// queue that tasks are polled from, and what became of them.
type frontend struct {
	workflowservice.UnimplementedWorkflowServiceServer
	tasks chan *workflowservice.PollActivityTaskQueueResponse

	mu                sync.Mutex
	polls             int // under way
	completed, failed int
	ended             *sync.Cond
}

// longPoll is how long a poll without a task takes. Temporal's take a minute.
const longPoll = 5 * time.Second

// serve starts a frontend and returns a client of it.
func serve(t testing.TB) (*frontend, client.Client) {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &frontend{tasks: make(chan *workflowservice.PollActivityTaskQueueResponse, 100_000)}
	f.ended = sync.NewCond(&f.mu)
	srv := grpc.NewServer(grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}))
	workflowservice.RegisterWorkflowServiceServer(srv, f)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(lis) }()
	c, err := client.Dial(client.Options{
		HostPort: lis.Addr().String(), Logger: silent{},
		ConnectionOptions: client.ConnectionOptions{GetSystemInfoTimeout: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		srv.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return f, c
}

// work starts a worker of one activity.
func work(t testing.TB, c client.Client, queue string, o worker.Options, f any) (stop func()) {
	t.Helper()
	o.DisableWorkflowWorker = true
	o.WorkerStopTimeout = 20 * time.Second // to wait for what runs
	w := worker.New(c, queue, o)
	w.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: "Activity"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(w.Stop)
	t.Cleanup(stop)
	return stop
}

// push queues a task with one argument.
func (f *frontend) push(t testing.TB, id int, activity string, arg any) {
	t.Helper()
	input, err := converter.GetDefaultDataConverter().ToPayloads(arg)
	if err != nil {
		t.Fatal(err)
	}
	f.tasks <- &workflowservice.PollActivityTaskQueueResponse{
		TaskToken:                   fmt.Append(nil, id),
		ActivityId:                  fmt.Sprint(id),
		ActivityType:                &commonpb.ActivityType{Name: activity},
		WorkflowType:                &commonpb.WorkflowType{Name: "w"},
		WorkflowExecution:           &commonpb.WorkflowExecution{WorkflowId: "w", RunId: "r"},
		WorkflowNamespace:           "default",
		Input:                       input,
		Attempt:                     1,
		ScheduledTime:               timestamppb.Now(),
		CurrentAttemptScheduledTime: timestamppb.Now(),
		StartedTime:                 timestamppb.Now(),
		ScheduleToCloseTimeout:      durationpb.New(time.Hour),
		StartToCloseTimeout:         durationpb.New(time.Hour),
	}
}

// wait waits until n tasks have ended.
func (f *frontend) wait(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.completed+f.failed < n {
		f.ended.Wait()
	}
}

// polling returns how many polls wait for a task.
func (f *frontend) polling() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.polls
}

func (f *frontend) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{Capabilities: &workflowservice.GetSystemInfoResponse_Capabilities{}}, nil
}

func (f *frontend) DescribeNamespace(context.Context, *workflowservice.DescribeNamespaceRequest) (*workflowservice.DescribeNamespaceResponse, error) {
	return &workflowservice.DescribeNamespaceResponse{}, nil
}

func (f *frontend) PollActivityTaskQueue(ctx context.Context, _ *workflowservice.PollActivityTaskQueueRequest) (*workflowservice.PollActivityTaskQueueResponse, error) {
	f.mu.Lock()
	f.polls++
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.polls--
		f.mu.Unlock()
	}()
	select {
	case task := <-f.tasks:
		return task, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(longPoll):
		return &workflowservice.PollActivityTaskQueueResponse{}, nil
	}
}

func (f *frontend) RespondActivityTaskCompleted(context.Context, *workflowservice.RespondActivityTaskCompletedRequest) (*workflowservice.RespondActivityTaskCompletedResponse, error) {
	f.end(&f.completed)
	return &workflowservice.RespondActivityTaskCompletedResponse{}, nil
}

func (f *frontend) RespondActivityTaskFailed(context.Context, *workflowservice.RespondActivityTaskFailedRequest) (*workflowservice.RespondActivityTaskFailedResponse, error) {
	f.end(&f.failed)
	return &workflowservice.RespondActivityTaskFailedResponse{}, nil
}

func (f *frontend) end(n *int) {
	f.mu.Lock()
	*n++
	f.mu.Unlock()
	f.ended.Broadcast()
}

// silent is a logger.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}

var _ log.Logger = silent{}
