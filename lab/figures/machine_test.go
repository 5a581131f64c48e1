package figures_test

import (
	"runtime/debug"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func TestSourceOf(t *testing.T) {
	at := func(revision, modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "-compiler", Value: "gc"}, {Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	for _, c := range []struct {
		what, main      string
		settings        []debug.BuildSetting
		version, commit string
	}{
		{"a checkout", "v0.3.1-0.20261121190553-3f1557d9ff33", at("3f1557d9ff33", "false"), "v0.3.1-0.20261121190553-3f1557d9ff33", "3f1557d9ff33"},
		{"a checkout with changes", "v0.3.0+dirty", at("3f1557d9ff33", "true"), "v0.3.0+dirty", "3f1557d9ff33+dirty"},
		{"go install of a version", "v0.3.0", nil, "v0.3.0", ""},
		{"a copy of the files", "(devel)", nil, "", ""},
		{"a test", "", nil, "", ""},
		{"no commit yet", "(devel)", at("", "true"), "", ""},
	} {
		version, commit := figures.SourceOf(&debug.BuildInfo{Main: debug.Module{Version: c.main}, Settings: c.settings})
		if version != c.version || commit != c.commit {
			t.Errorf("%s: %q and %q, want %q and %q", c.what, version, commit, c.version, c.commit)
		}
	}
}
