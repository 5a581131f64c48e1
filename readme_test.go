package sweetspot_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot"
)

// The quick start of the README, as it stands there.
func digests(ctx context.Context, paths []string) ([][sha256.Size]byte, error) {
	return sweetspot.Map(ctx, paths, func(ctx context.Context, path string) ([sha256.Size]byte, error) {
		data, err := os.ReadFile(path)
		return sha256.Sum256(data), err
	})
}

var limiter = sweetspot.New(sweetspot.Name("fetch"))

func fetchOne(ctx context.Context, url string) error {
	return limiter.Do(ctx, func(ctx context.Context) error { // waits while the limit is reached
		return fetch(ctx, url) // failures don't count as throughput
	})
}

func Example_quickStart() {
	fmt.Println(fetchOne(context.Background(), "https://a.example"))
	sums, err := digests(context.Background(), []string{"go.mod", "doc.go"})
	fmt.Println(len(sums), err)
	// Output:
	// <nil>
	// 2 <nil>
}

func fetch(context.Context, string) error { return nil }

// Every block of Go in the README stands, but for its indentation, in this
// file, where the compiler and the examples check it.
func TestReadmeBlocksAreChecked(t *testing.T) {
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	code := squeeze(source)
	blocks := 0
	for rest := string(readme); ; blocks++ {
		_, after, found := strings.Cut(rest, "```go\n")
		if !found {
			break
		}
		block, next, _ := strings.Cut(after, "```")
		if !strings.Contains(code, squeeze([]byte(block))) {
			t.Errorf("this block of the README is not in readme_test.go:\n%s", block)
		}
		rest = next
	}
	if blocks == 0 {
		t.Error("the README has no block of Go")
	}
}

// squeeze drops the indentation of every line.
func squeeze(text []byte) string {
	var b strings.Builder
	for line := range bytes.Lines(text) {
		b.Write(bytes.TrimLeft(line, "\t "))
	}
	return b.String()
}
