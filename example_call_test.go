package sweetspot_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/sweetspot-go/sweetspot"
)

// The digests of all files of a directory, in order.
func ExampleMap() {
	dir := fstest.MapFS{
		"go.mod":   {Data: []byte("module example\n")},
		"main.go":  {Data: []byte("package main\n")},
		"a/doc.go": {Data: []byte("package a\n")},
	}
	var paths []string
	fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})

	sums, err := sweetspot.Map(context.Background(), paths, func(ctx context.Context, path string) (string, error) {
		f, err := dir.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			return "", err
		}
		return fmt.Sprintf("%x", h.Sum(nil)[:4]), nil
	})
	if err != nil {
		fmt.Println(err)
	}
	for i, path := range paths {
		fmt.Println(sums[i], path)
	}
	// Output:
	// 7b39baa3 a/doc.go
	// 77bacaf2 go.mod
	// df1d036c main.go
}

func ExampleForEach() {
	names := []string{"ant", "bee", "cow"}
	err := sweetspot.ForEach(context.Background(), names, func(ctx context.Context, name string) error {
		if strings.HasPrefix(name, "b") {
			return errors.New("stings")
		}
		return nil
	})
	fmt.Println(err)

	var item *sweetspot.ItemError
	if errors.As(err, &item) {
		fmt.Println(names[item.Index])
	}
	// Output:
	// item 1: stings
	// bee
}

func ExampleForEachIndex() {
	squares := make([]int, 5)
	err := sweetspot.ForEachIndex(context.Background(), len(squares), func(ctx context.Context, i int) error {
		squares[i] = i * i
		return nil
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16] <nil>
}

// Words are counted in maps that no two goroutines share.
func ExampleReduce() {
	lines := []string{"the cat and the dog", "the dog and the bone"}
	counts, err := sweetspot.Reduce(context.Background(), lines,
		func() map[string]int { return map[string]int{} },
		func(ctx context.Context, counts map[string]int, line string) (map[string]int, error) {
			for word := range strings.FieldsSeq(line) {
				counts[word]++
			}
			return counts, nil
		},
		func(a, b map[string]int) map[string]int {
			for word, n := range b {
				a[word] += n
			}
			return a
		})
	fmt.Println(counts, err)
	// Output: map[and:2 bone:1 cat:1 dog:2 the:4] <nil>
}

// The loop is inside, so that the sum stays in a register.
func ExampleReduceRange() {
	sum, err := sweetspot.ReduceRange(context.Background(), 1_000_001,
		func() int64 { return 0 },
		func(ctx context.Context, sum int64, lo, hi int) (int64, error) {
			for i := lo; i < hi; i++ {
				sum += int64(i)
			}
			return sum, nil
		},
		func(a, b int64) int64 { return a + b })
	fmt.Println(sum, err)
	// Output: 500000500000 <nil>
}

// A conn stands for a connection to a database.
type conn struct{}

func connect() (*conn, error)        { return &conn{}, nil }
func (*conn) Close() error           { return nil }
func (*conn) insert(row string) bool { return row != "" }

// Each worker has a connection of its own: a local variable, closed by a defer.
func ExampleWorkers() {
	rows := []string{"a", "b", "", "d"}
	inserted := make([]bool, len(rows))
	err := sweetspot.Workers(context.Background(), rows, func(ctx context.Context, items iter.Seq2[int, string]) error {
		c, err := connect()
		if err != nil {
			return err
		}
		defer c.Close()
		for i, row := range items {
			inserted[i] = c.insert(row)
		}
		return nil
	})
	fmt.Println(inserted, err)
	// Output: [true true false true] <nil>
}

// A loop too short to pay for a call at each turn.
func ExampleWorkersRange() {
	squares := make([]float64, 10)
	err := sweetspot.WorkersRange(context.Background(), len(squares), func(ctx context.Context, chunks iter.Seq2[int, int]) error {
		for lo, hi := range chunks {
			for i := lo; i < hi; i++ {
				squares[i] = float64(i * i)
			}
		}
		return nil
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16 25 36 49 64 81] <nil>
}

func ExampleFixed() {
	inOrder := []int{}
	sweetspot.ForEach(context.Background(), []int{1, 2, 3}, func(ctx context.Context, v int) error {
		inOrder = append(inOrder, v)
		return nil
	}, sweetspot.Fixed(1)) // for a call: here, the plain loop
	fmt.Println(inOrder)
	// Output:
	// [1 2 3]
}

func ExampleMinChunk() {
	rows := make([][3]int, 100)
	err := sweetspot.WorkersRange(context.Background(), len(rows), func(ctx context.Context, chunks iter.Seq2[int, int]) error {
		for lo, hi := range chunks {
			if hi-lo < 10 && hi != len(rows) {
				fmt.Println("a block of", hi-lo)
			}
		}
		return nil
	}, sweetspot.MinChunk(10), sweetspot.Fixed(1))
	fmt.Println(err)
	// Output: <nil>
}

func ExampleAllErrors() {
	got, err := sweetspot.Map(context.Background(), []string{"1", "x", "3", "y"}, func(ctx context.Context, s string) (int, error) {
		var n int
		if _, err := fmt.Sscan(s, &n); err != nil {
			return 0, fmt.Errorf("%q is no number", s)
		}
		return n, nil
	}, sweetspot.AllErrors())
	fmt.Println(got)
	fmt.Println(err)
	// Output:
	// [1 0 3 0]
	// item 1: "x" is no number
	// item 3: "y" is no number
}

// One Limiter for all calls that use the same server.
func ExampleLimiter_asOption() {
	server := sweetspot.New(sweetspot.Max(100))
	get := func(ctx context.Context, id int) (string, error) { return fmt.Sprint("user ", id), nil }

	users, err := sweetspot.Map(context.Background(), []int{1, 2, 3}, get, server)
	fmt.Println(users, err)
	fmt.Println(server.Stats().InFlight, "in flight")
	// Output:
	// [user 1 user 2 user 3] <nil>
	// 0 in flight
}

func ExampleItemError() {
	err := error(&sweetspot.ItemError{Index: 7, Err: fs.ErrNotExist})
	fmt.Println(err)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// item 7: file does not exist
	// true
}

func ExampleItemError_Error() {
	fmt.Println((&sweetspot.ItemError{Index: 7, Err: io.ErrUnexpectedEOF}).Error())
	// Output: item 7: unexpected EOF
}

func ExampleItemError_Unwrap() {
	fmt.Println((&sweetspot.ItemError{Index: 7, Err: io.ErrUnexpectedEOF}).Unwrap())
	// Output: unexpected EOF
}

// A panic arrives where the call was made, with the stack of where it happened.
func ExamplePanicError() {
	defer func() {
		p := recover().(*sweetspot.PanicError)
		fmt.Println(p.Value, strings.Contains(string(p.Stack), "ExamplePanicError"))
	}()
	sweetspot.ForEach(context.Background(), []int{1, 2, 3}, func(ctx context.Context, v int) error {
		if v == 2 {
			panic("no twos")
		}
		return nil
	})
	// Output: no twos true
}

func ExamplePanicError_Error() {
	p := &sweetspot.PanicError{Value: "oops", Stack: []byte("goroutine 7 [running]: ...")}
	fmt.Println(p.Error())
	// Output:
	// panic: oops
	//
	// goroutine 7 [running]: ...
}

func ExamplePanicError_Unwrap() {
	p := &sweetspot.PanicError{Value: io.ErrUnexpectedEOF}
	fmt.Println(errors.Is(p, io.ErrUnexpectedEOF))
	// Output: true
}

// Merging keeps the order, so what is folded may depend on it.
func ExampleReduce_order() {
	words, err := sweetspot.Reduce(context.Background(), []string{"to", "be", "or", "not"},
		func() []string { return nil },
		func(ctx context.Context, a []string, w string) ([]string, error) {
			return append(a, strings.ToUpper(w)), nil
		},
		func(a, b []string) []string { return append(a, b...) })
	fmt.Println(words, err)
	// Output: [TO BE OR NOT] <nil>
}

// The largest values of a map, found without sorting all of it.
func ExampleWorkers_perWorkerResult() {
	scores := map[string]int{"ann": 3, "bob": 9, "cas": 5, "dee": 9}
	names := slices.Sorted(maps.Keys(scores))
	best := make(chan string, len(names))
	err := sweetspot.Workers(context.Background(), names, func(ctx context.Context, items iter.Seq2[int, string]) error {
		mine := ""
		for _, name := range items {
			if c := cmp.Compare(scores[name], scores[mine]); c > 0 {
				mine = name
			}
		}
		best <- mine
		return nil
	})
	close(best)
	all := []string{}
	for name := range best {
		all = append(all, name)
	}
	fmt.Println(slices.MaxFunc(all, func(a, b string) int { return cmp.Compare(scores[a], scores[b]) }), err)
	// Output: bob <nil>
}
