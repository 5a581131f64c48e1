package sweetspot_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

func ExampleShare() {
	db, err := sweetspot.Share("db.example.com")
	if err != nil {
		fmt.Println("goes on without the other processes:", err)
	}
	defer db.Close()
	l := sweetspot.New(sweetspot.Name("queries"), db)

	err = l.Do(context.Background(), func(context.Context) error {
		fmt.Println("one query")
		return nil
	})
	fmt.Println(err)
	// Output:
	// one query
	// <nil>
}

func ExampleSharing_Met() {
	mails, err := sweetspot.Share("mail.example.com")
	if err != nil {
		fmt.Println("goes on without the other processes:", err)
	}
	defer mails.Close()
	fmt.Println(mails.Met(), "others so far") // more once units are in flight
	// Output: 0 others so far
}

// A program is done with the server, but not with its Limiter.
func ExampleSharing_Close() {
	files, err := sweetspot.Share("files.example.com")
	if err != nil {
		fmt.Println("goes on without the other processes:", err)
	}
	l := sweetspot.New(files)
	fmt.Println(files.Close())
	err = l.Do(context.Background(), func(context.Context) error { return nil })
	fmt.Println(err, l.Stats().Completed)
	// Output:
	// <nil>
	// <nil> 1
}

func TestShareRefuses(t *testing.T) {
	s, err := sweetspot.Share("../db")
	if s != nil || err == nil || !strings.Contains(err.Error(), `the name "../db": want 1 to 64`) {
		t.Errorf("%v, %v", s, err)
	}
	if l := sweetspot.New(s); l.Limit() < 1 { // it shares nothing
		t.Errorf("limit %d", l.Limit())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// ownFile returns the only file below a folder.
func ownFile(t *testing.T, dir string) (file string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			file = path
		}
		return err
	}); err != nil || file == "" {
		t.Fatalf("no file below %s: %v", dir, err)
	}
	return file
}

// Two Limiters whose units queue, with the same name but as if in two processes, which one
// plays by moving the other's file: their laws see each other at work.
func TestSharedLimitersSeeEachOther(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("LocalAppData", dir) // Windows
	for _, shares := range []bool{false, true} {
		var others float64
		var met int
		synctest.Test(t, func(t *testing.T) {
			sharing, err := sweetspot.Share("db")
			if err != nil {
				t.Fatal(err)
			}
			defer sharing.Close()
			own := ownFile(t, dir)
			see := law(func(r control.Reading) control.Decision {
				others = r.Others.Work
				return control.Decision{Limit: 4}
			})
			opts := []sweetspot.LimiterOption{sweetspot.Start(4)}
			if shares {
				opts = append(opts, sharing)
			}
			l := setTo(governed(see, opts...), 4)
			work := func(d time.Duration, unit time.Duration) {
				ctx, cancel := context.WithTimeout(context.Background(), d)
				defer cancel()
				done := make(chan struct{})
				for range 4 {
					go func() {
						defer func() { done <- struct{}{} }()
						for ctx.Err() == nil {
							_ = l.Do(ctx, func(context.Context) error { time.Sleep(unit); return nil })
						}
					}()
				}
				for range 4 {
					<-done
				}
			}
			work(3*time.Second, 10*time.Millisecond)
			copyOf := filepath.Join(filepath.Dir(own), "1-OTHER.1")
			if b, err := os.ReadFile(own); err != nil || os.WriteFile(copyOf, b, 0o600) != nil {
				t.Fatal(err)
			}
			defer os.Remove(copyOf)
			work(2*time.Second, 20*time.Millisecond) // they queue now
			if b, err := os.ReadFile(own); err != nil || os.WriteFile(copyOf, b, 0o600) != nil {
				t.Fatal(err)
			}
			work(time.Second, 20*time.Millisecond)
			met = sharing.Met()
		})
		if shares != (others > 0.5) {
			t.Errorf("Others is %.2f after another did as much in a second or two; they share: %v", others, shares)
		}
		if want := map[bool]int{true: 1}[shares]; met != want {
			t.Errorf("met %d others, want %d; they share: %v", met, want, shares)
		}
	}
}
