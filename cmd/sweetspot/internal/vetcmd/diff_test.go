package vetcmd_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
)

func TestWriteDiff(t *testing.T) {
	old := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n"
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", old, old, ""},
		{"one line", old, strings.Replace(old, "7", "seven", 1), "--- a/f\n+++ b/f\n@@ -4,7 +4,7 @@\n 4\n 5\n 6\n-7\n+seven\n 8\n 9\n 10\n"},
		{"both ends", old, "0\n" + strings.TrimSuffix(old, "14\n"), "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -11,4 +12,3 @@\n 11\n 12\n 13\n-14\n"},
		{"next to each other", "1\n2\n3\n4\n5\n6\n7\n8\n", "2\n3\n4\n5\n6\n7\n", "--- a/f\n+++ b/f\n@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -5,4 +4,3 @@\n 5\n 6\n 7\n-8\n"},
		{"from nothing", "", "1\n", "--- a/f\n+++ b/f\n@@ -0,0 +1,1 @@\n+1\n"},
		{"to nothing", "1\n", "", "--- a/f\n+++ b/f\n@@ -1,1 +0,0 @@\n-1\n"},
		{"no newline", "1\n2", "1\n3", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+3\n\\ No newline at end of file\n"},
	} {
		var b strings.Builder
		if err := vetcmd.WriteDiff(&b, "f", []byte(c.old), []byte(c.new)); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, b.String(), c.want)
		}
	}
}

// What is written is what patch reads.
func TestPatch(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("there is no patch here")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var old, new strings.Builder
		for range r.IntN(60) {
			line := string(rune('a'+r.IntN(26))) + "\n"
			old.WriteString(line)
			switch r.IntN(12) {
			case 0:
			case 1:
				new.WriteString(line + "added\n")
			default:
				new.WriteString(line)
			}
		}
		var diff bytes.Buffer
		if err := vetcmd.WriteDiff(&diff, "f", []byte(old.String()), []byte(new.String())); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(old.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		if diff.Len() == 0 {
			continue
		}
		text := diff.String()
		c := exec.Command(patch, "-p1", "--posix", "-s")
		c.Dir, c.Stdin = dir, &diff
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, text)
		}
		got, err := os.ReadFile(filepath.Join(dir, "f"))
		if err != nil && new.Len() > 0 { // patch removes a file that becomes empty
			t.Fatal(err)
		}
		if string(got) != new.String() {
			t.Fatalf("patch makes\n%s of\n%s, want\n%s", got, text, new.String())
		}
	}
}
