package search

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// An ignoreFile is one .gitignore file: rules for what lies below its directory.
// Those of the directories above follow in up.
type ignoreFile struct {
	place place
	rules []ignoreRule
	up    *ignoreFile
}

// A place says how the path of an entry, as it is yielded, becomes the path that
// a .gitignore file judges: from its own directory, with slashes.
type place struct {
	drop   string // what the path begins with: a directory
	before string // the way to drop, for a file that lies above the root
}

func (p place) below(path string) string {
	return p.before + filepath.ToSlash(strings.TrimPrefix(path[len(p.drop):], string(filepath.Separator)))
}

// An ignoreRule is one line of a .gitignore file.
type ignoreRule struct {
	again    bool   // "!": do not ignore after all
	dirOnly  bool   // "/" at the end
	anywhere bool   // no other "/": matches the name of an entry, however deep
	text     string // a pattern without wildcards, as most are
	suffix   string // "*" and then text: the next most
	glob     glob   // any other
}

// maxIgnoreFile is the size up to which git reads such a file.
const maxIgnoreFile = 100 << 20

// readIgnoreFile returns the rules of the file at path, which judges as from p,
// on top of up; or up if there is no such file, or nothing in it. As git does, it
// takes a link for no such file.
func readIgnoreFile(path string, p place, up *ignoreFile) (*ignoreFile, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return up, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return up, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return up, err
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	g := &ignoreFile{place: p, up: up}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if r, ok := parseIgnoreRule(line); ok {
			g.rules = append(g.rules, r)
		}
	}
	if len(g.rules) == 0 {
		return up, nil
	}
	return g, nil
}

// parseIgnoreRule returns the rule that line is, or false if it is none.
func parseIgnoreRule(line string) (r ignoreRule, ok bool) {
	line = withoutTrailingSpace(line)
	if line == "" || line[0] == '#' {
		return r, false
	}
	if line[0] == '!' {
		r.again = true
		line = line[1:]
	}
	line, r.dirOnly = strings.CutSuffix(line, "/")
	line, anchored := strings.CutPrefix(line, "/")
	r.anywhere = !anchored && !strings.Contains(line, "/")
	switch {
	case line == "":
		return r, false
	case !strings.ContainsAny(line, `*?[\`):
		r.text = line
		return r, true
	case r.anywhere && line[0] == '*' && len(line) > 1 && !strings.ContainsAny(line[1:], `*?[\`):
		r.suffix = line[1:]
		return r, true
	}
	r.glob, ok = parseGlob(line)
	return r, ok
}

// withoutTrailingSpace returns line without the spaces at its end that no
// backslash protects.
func withoutTrailingSpace(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			end = i + 1
		case line[i] != ' ':
			end = i + 1
		}
	}
	return line[:end]
}

// ignores reports whether the entry at path, of that name, is to be left out.
// The directory that it is in is not, so only the entry itself has to be judged.
func (g *ignoreFile) ignores(path, name string, isDir bool) bool {
	for ; g != nil; g = g.up {
		below := g.place.below(path)
		for i := len(g.rules) - 1; i >= 0; i-- {
			if r := &g.rules[i]; (isDir || !r.dirOnly) && r.matches(below, name) {
				return !r.again
			}
		}
	}
	return false
}

func (r *ignoreRule) matches(below, name string) bool {
	if r.anywhere {
		below = name
	}
	switch {
	case r.text != "":
		return below == r.text
	case r.suffix != "":
		return strings.HasSuffix(below, r.suffix)
	}
	return r.glob.match(below)
}
