package docs_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sweetspot-go/sweetspot"
)

func digests(ctx context.Context, paths []string) ([][sha256.Size]byte, error) {
	return sweetspot.Map(ctx, paths, func(ctx context.Context, path string) ([sha256.Size]byte, error) {
		data, err := os.ReadFile(path)
		return sha256.Sum256(data), err
	})
}

func compressAll(ctx context.Context, paths []string) error {
	return sweetspot.Workers(ctx, paths, func(ctx context.Context, items iter.Seq2[int, string]) error {
		z := gzip.NewWriter(nil) // one for each goroutine, however many there are
		for _, path := range items {
			if err := compress(z, path); err != nil {
				return fmt.Errorf("compress %s: %w", path, err)
			}
		}
		return nil
	})
}

func compress(z *gzip.Writer, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z.Reset(&b)
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path+".gz", b.Bytes(), 0o666)
}

func resizeAll(ctx context.Context, cache string, paths []string, resize func(context.Context, string) error) error {
	memory, err := sweetspot.Remember(filepath.Join(cache, "thumbnails"))
	if err != nil {
		return err
	}
	defer memory.Save()
	resizing := sweetspot.New(sweetspot.Name("resize"), memory)
	return sweetspot.ForEach(ctx, paths, resize, resizing)
}

func words(ctx context.Context, lines []string) (map[string]int, error) {
	return sweetspot.Reduce(ctx, lines,
		func() map[string]int { return map[string]int{} }, // for each run of lines
		func(ctx context.Context, count map[string]int, line string) (map[string]int, error) {
			for word := range strings.FieldsSeq(line) {
				count[word]++
			}
			return count, nil
		},
		func(a, b map[string]int) map[string]int {
			for word, n := range b {
				a[word] += n
			}
			return a
		})
}

func convert(ctx context.Context, in io.Reader, out io.Writer) error {
	var readErr error
	for row, err := range sweetspot.MapSeq(ctx, lines(in, &readErr), parse) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, row) // in the order of the input
	}
	return readErr
}

// lines ranges over the lines of r; a failure to read ends it.
func lines(r io.Reader, err *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		s := bufio.NewScanner(r)
		for s.Scan() {
			if !yield(s.Text()) {
				return
			}
		}
		*err = s.Err()
	}
}

func parse(_ context.Context, line string) (string, error) {
	if line == "bad" {
		return "", errNotFound
	}
	return strings.ToUpper(line), nil
}

// failures returns which items failed, and why.
func failures(err error) map[int]error {
	all := map[int]error{}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			var item *sweetspot.ItemError
			if errors.As(e, &item) {
				all[item.Index] = item.Err
			}
		}
	}
	return all
}

func visitMost(ctx context.Context, urls []string) map[int]error {
	err := sweetspot.ForEach(ctx, urls, visit, sweetspot.AllErrors())
	return failures(err)
}

func uploadAll(ctx context.Context, files []file) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, f := range files {
		unit, err := uplink.Begin(ctx)
		if err != nil {
			return err
		}
		wg.Go(func() {
			outcome := sweetspot.Done
			if err := upload(ctx, f); err != nil {
				outcome = sweetspot.Ignored
			}
			unit.End(outcome, f.size) // throughput is bytes a second
		})
	}
	return nil
}

var uplink = sweetspot.New(sweetspot.Name("uplink"), sweetspot.Max(64))

type file struct{ size int }

func upload(context.Context, file) error { return nil }

func Example_batch() {
	ctx := context.Background()
	fmt.Println(words(ctx, []string{"to be or", "not to be"}))
	fmt.Println(convert(ctx, strings.NewReader("a\nb\n"), os.Stdout))
	fmt.Println(visitMost(ctx, []string{"a", "bad", "b", "bad"}))
	fmt.Println(uploadAll(ctx, []file{{100}, {200}}), uplink.Stats().Completed)
	// Output:
	// map[be:2 not:1 or:1 to:2] <nil>
	// A
	// B
	// <nil>
	// map[1:not found 3:not found]
	// <nil> 2
}

func TestBatchFiles(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	want := map[string]string{}
	for _, name := range names(50) {
		path := filepath.Join(dir, name)
		want[path] = strings.Repeat(name, 100)
		if err := os.WriteFile(path, []byte(want[path]), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	sums, err := digests(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		if sums[i] != sha256.Sum256([]byte(want[path])) {
			t.Errorf("%s: wrong digest", path)
		}
	}
	if err := compressAll(t.Context(), paths); err != nil {
		t.Fatal(err)
	}
	if err := resizeAll(t.Context(), dir, paths, func(context.Context, string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, path := range paths {
		f, err := os.Open(path + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		got[path] = string(data)
	}
	if !maps.Equal(got, want) {
		t.Error("what was compressed is not what there was")
	}
}
