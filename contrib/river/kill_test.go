package riverlimit_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adaptertest"
)

func work(dsn string) {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, dsn)
	if err == nil {
		c := config(12, setTo(sweetspot.New(), 4), func(_ context.Context, job *river.Job[mail]) error {
			time.Sleep(2 * time.Millisecond)
			_, err := fmt.Println(job.Args.Number)
			return err
		})
		var client *river.Client[pgx.Tx]
		if client, err = river.NewClient(riverpgxv5.New(pool), c); err == nil {
			err = client.Start(ctx)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
	select {}
}

// TestKill: workers that die at any moment lose nothing. What they held comes again when
// river's rescuer finds it: jobs that ran, that waited, and that were worked but not yet
// recorded.
func TestKill(t *testing.T) {
	const jobs, kills = 300, 2
	b := newBed(t)
	b.insert(jobs)
	crew := adaptertest.NewCrew(t, b.dsn+" application_name=worker")
	kill := crew.Start()
	defer func() { kill() }()
	seen := map[string]int{}
	read := func(n int) {
		for len(seen) < n {
			if !crew.Scan() {
				t.Fatalf("%d jobs were worked: %v", len(seen), crew.Err())
			}
			seen[crew.Text()]++
		}
	}
	held := int64(0)
	for i := range kills {
		read((i + 1) * jobs / 4)
		kill()
		// The server may still be at its last statement, which takes more jobs.
		for end := time.Now().Add(30 * time.Second); b.exec("select from pg_stat_activity where application_name = 'worker'") > 0; {
			if time.Now().After(end) {
				t.Fatal("the server keeps connections of a dead worker for 30 s")
			}
			time.Sleep(time.Millisecond)
		}
		// Two hours pass.
		held += b.exec("update river_job set attempted_at = attempted_at - interval '2 hours' where state = 'running'")
		kill = crew.Start()
	}
	// The leader has the rescuer. It works no jobs here.
	c := config(1, nil, func(context.Context, *river.Job[mail]) error { return nil })
	c.LeaderElectionDisabled = false
	c.Queues = map[string]river.QueueConfig{"other": {MaxWorkers: 1}}
	c.RetryPolicy = atOnce{}
	b.start(c)
	// The scheduler would look in five seconds.
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		left := b.exec("select from river_job where state = 'running' and attempted_at < now() - interval '1 hour'")
		b.exec("update river_job set state = 'available' where state = 'retryable'")
		if left == 0 {
			break
		}
	}
	read(jobs)
	b.eventually(rivertype.JobStateCompleted, jobs)
	again := 0
	for _, n := range seen {
		again += n - 1
	}
	if again > int(held) {
		t.Errorf("%d jobs came again, %d were with the dead workers", again, held)
	}
	t.Logf("%d jobs worked; the dead workers held %d; %d were worked twice", len(seen), held, again)
}

// atOnce tries again at once.
type atOnce struct{}

func (atOnce) NextRetry(*rivertype.JobRow) time.Time { return time.Now() }
