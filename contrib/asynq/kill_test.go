package asynqlimit_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/sweetspot-go/sweetspot"
	asynqlimit "github.com/sweetspot-go/sweetspot/contrib/asynq"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adaptertest"
)

func work(socket string) {
	s := asynqlimit.NewServer(asynq.RedisClientOpt{Network: "unix", Addr: socket}, quick(), setTo(sweetspot.New(), 4))
	err := s.Run(asynq.HandlerFunc(func(ctx context.Context, _ *asynq.Task) error {
		time.Sleep(2 * time.Millisecond)
		id, _ := asynq.GetTaskID(ctx)
		_, err := fmt.Println(id)
		return err
	}))
	if err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}

// TestKill: workers that die at any moment lose nothing. Only what they were running
// comes again, after its lease: what waited for a permit was never taken.
func TestKill(t *testing.T) {
	const tasks, kills, limit = 300, 2, 4
	b := newBed(t)
	b.enqueue(tasks)
	ours := b.connections()
	crew := adaptertest.NewCrew(t, b.opt.Addr)
	kill := crew.Start()
	defer func() { kill() }()
	seen := map[string]int{}
	killed, leased := 0, 0
	for len(seen) < tasks {
		if !crew.Scan() {
			t.Fatalf("%d tasks were handled: %v", len(seen), crew.Err())
		}
		seen[crew.Text()]++
		if killed < kills && len(seen) >= (killed+1)*tasks/4 {
			killed++
			kill()
			// The server may still have to read the last request, which takes a task.
			for end := time.Now().Add(30 * time.Second); b.connections() > ours; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the server keeps connections of a dead worker for 30 s")
				}
			}
			leased += b.expire()
			kill = crew.Start()
		}
	}
	// Beside those that ran, tasks were handled and not yet marked so: more where Redis is slow.
	if leased > kills*10*limit {
		t.Errorf("%d dead workers had %d tasks, with a limit of %d", kills, leased, limit)
	}
	b.eventually("all done", done)
	again := 0
	for _, n := range seen {
		again += n - 1
	}
	if again > leased {
		t.Errorf("%d tasks came again, %d were with the dead workers", again, leased)
	}
	t.Logf("%d tasks handled; the dead workers had %d; %d were handled twice", len(seen), leased, again)
}

// connections returns how many clients are connected.
func (b *bed) connections() int {
	list, err := b.redis.ClientList(b.t.Context()).Result()
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Count(list, "\n")
}

// expire makes all leases two minutes older, and returns how many there are.
func (b *bed) expire() int {
	const leases = "asynq:{default}:lease"
	held, err := b.redis.ZRangeWithScores(b.t.Context(), leases, 0, -1).Result()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, z := range held {
		z.Score -= 120
		if err := b.redis.ZAdd(b.t.Context(), leases, redis.Z{Score: z.Score, Member: z.Member}).Err(); err != nil {
			b.t.Fatal(err)
		}
	}
	return len(held)
}
