package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// home makes a home with a file of settings and returns the file's path.
func home(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path := filepath.Join(dir, "sweetspot", "run.conf")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSettings(t *testing.T) {
	path := home(t, "# mine\n\n  jobs = 3\r\n--keep-order\nmax=9")
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("jobs = 8"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := func(line string) string { return path + ":" + line }
	for name, c := range map[string]struct {
		args, environ []string
		jobs          string
		max           int
		law           string
		ordered       bool
		from          string
	}{
		"file": {
			nil, nil, "3", 9, "", true,
			"--jobs 3 by " + file("3") + ", --keep-order true by " + file("4") + ", --max 9 by " + file("5"),
		},
		"environment before file": {
			nil, []string{"HOME=/", "SWEETSPOT_RUN_JOBS=4", "SWEETSPOT_RUN_MAX="}, "4", 9, "", true,
			"--jobs 4 by SWEETSPOT_RUN_JOBS, --keep-order true by " + file("4") + ", --max 9 by " + file("5"),
		},
		"flag before environment": {
			[]string{"-P", "5", "-k=false"}, []string{"SWEETSPOT_RUN_JOBS=4"}, "5", 9, "", false,
			"--max 9 by " + file("5"),
		},
		"another spelling": {
			[]string{"--keep-order=no", "--max=1"}, []string{"SWEETSPOT_RUN_MAX_PROCS=+2"}, "+2", 1, "", false,
			"--jobs +2 by SWEETSPOT_RUN_MAX_PROCS",
		},
		"what excludes it": {
			[]string{"--law", "step", "--max=1", "-k"}, []string{"SWEETSPOT_RUN_JOBS=4"}, "auto", 1, "step", true, "",
		},
		"another file": {[]string{"--config", other}, nil, "8", 0, "", false, "--jobs 8 by " + other + ":1"},
		"no file":      {[]string{"--config="}, []string{"SWEETSPOT_RUN_KEEP_ORDER=on"}, "auto", 0, "", true, "--keep-order on by SWEETSPOT_RUN_KEEP_ORDER"},
		"file by environment": {
			nil, []string{"SWEETSPOT_RUN_CONFIG=" + other}, "8", 0, "", false,
			"--config " + other + " by SWEETSPOT_RUN_CONFIG, --jobs 8 by " + other + ":1",
		},
	} {
		jobs, most, law, ordered, from, err := run.Configured(c.environ, c.args)
		if err != nil || jobs != c.jobs || most != c.max || law != c.law || ordered != c.ordered || from != c.from {
			t.Errorf("%s: -j %s --max %d --law %q -k=%v, %q, %v, want %+v", name, jobs, most, law, ordered, from, err, c)
		}
	}
}

func TestSettingsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"jobs = many":      "run.conf:1: \"many\" is not a number of jobs",
		"jobs =":           "run.conf:1: jobs has no value",
		"max":              "run.conf:1: max has no value: want max = N",
		"keep-order = 2":   "run.conf:1: \"2\" is neither true nor false",
		"\n\njobz = 3":     "run.conf:3: there is no flag --jobz",
		"null":             "run.conf:1: --null can only be given on the command line",
		"--jobs 4":         "run.conf:1: there is no flag --jobs 4",
		"config = /x":      "names no other",
		"\xff\xfe\x00 = 1": "run.conf:1: there is no flag",
		"= 3":              "run.conf:1: there is no flag",
	} {
		home(t, text)
		if _, _, _, _, _, err := run.Configured(nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	home(t, "")
	for variable, want := range map[string]string{
		"SWEETSPOT_RUN_JOBS=x":    "SWEETSPOT_RUN_JOBS: \"x\" is not a number",
		"SWEETSPOT_RUN_JOBZ=1":    "SWEETSPOT_RUN_JOBZ in the environment: there is no flag",
		"SWEETSPOT_RUN_=1":        "there is no flag",
		"SWEETSPOT_RUN_COMMAND=x": "only be given on the command line",
		"SWEETSPOT_RUN_CONFIG=/-": "cannot read the settings in /-",
	} {
		if _, _, _, _, _, err := run.Configured([]string{variable}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", variable, err, want)
		}
	}
}

func TestNoSettings(t *testing.T) {
	for _, dir := range []string{t.TempDir(), "/dev/null", "relative"} {
		t.Setenv("XDG_CONFIG_HOME", dir)
		t.Setenv("HOME", t.TempDir())
		if _, _, _, _, from, err := run.Configured(nil, nil); err != nil || from != "" {
			t.Errorf("XDG_CONFIG_HOME=%s: %q, %v", dir, from, err)
		}
	}
}
