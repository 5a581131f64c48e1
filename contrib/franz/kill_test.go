package franzlimit_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sweetspot-go/sweetspot"
	franzlimit "github.com/sweetspot-go/sweetspot/contrib/franz"
)

// workerVariable makes the test binary a worker of the brokers that it names.
const workerVariable = "SWEETSPOT_FRANZ_TEST_WORKER"

func TestMain(m *testing.M) {
	if brokers := os.Getenv(workerVariable); brokers != "" {
		go endWithParent()
		err := franzlimit.Consume(context.Background(), sweetspot.New(), func(_ context.Context, r *kgo.Record) error {
			time.Sleep(2 * time.Millisecond)
			_, err := fmt.Printf("%d %d\n", r.Partition, r.Offset)
			return err
		}, member(strings.Split(brokers, ","), kgo.SessionTimeout(time.Second))...)
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// endWithParent ends this process when the one that started it has ended: then its end of
// standard input is closed.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// TestKill: workers that die at any moment lose nothing, and each partition goes on in
// order where its last commit is.
func TestKill(t *testing.T) {
	const partitions, each, kills = 6, 400, 2
	c := newCluster(t, partitions)
	c.produce(each, numbers(partitions)...)
	// All workers write to one pipe, so that their lines come in the order of the work.
	lines, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	defer stdout.Close()
	if err := lines.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	start := func() (kill func()) {
		w := exec.Command(os.Args[0])
		w.Env = append(os.Environ(), workerVariable+"="+strings.Join(c.ListenAddrs(), ","))
		w.Stdout, w.Stderr = stdout, os.Stderr
		_, err := w.StdinPipe() // see endWithParent
		if err == nil {
			err = w.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			_ = w.Process.Kill()
			_ = w.Wait()
		}
	}

	next := make([]int64, partitions) // the offset that nobody has handled yet
	handled, again := 0, 0
	kill := start()
	defer func() { kill() }()
	killed := 0
	for in := bufio.NewScanner(lines); handled < partitions*each; {
		if !in.Scan() {
			t.Fatalf("%d records were handled: %v", handled, in.Err())
		}
		var p int
		var offset int64
		if _, err := fmt.Sscan(in.Text(), &p, &offset); err != nil {
			t.Fatalf("a worker says %q", in.Text())
		}
		switch {
		case offset == next[p]:
			next[p]++
			handled++
		case offset < next[p]:
			again++
		default:
			t.Fatalf("partition %d: record %d was handled, and %d was not", p, offset, next[p])
		}
		if killed < kills && handled >= (killed+1)*partitions*each/5 {
			killed++
			before := kill
			kill = start()
			before()
		}
	}
	t.Logf("%d records handled, %d more than once", handled, again)
}
