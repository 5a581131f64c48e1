package lab

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// experiments are in the order of their IDs, and made when they are first asked for: the
// command imports this package, whatever it does. They are a variable so that tests can do
// with small ones.
var experiments = sync.OnceValue(func() []*experiment {
	return described(
		a1(), a2(), a3(), a4(), a5(), a6(), a7(), a8(), a9(),
		b1(), b2(), b3(), b4(),
		c1(), c2(), c3(), c4(), c5(), c6(), c7(),
		d1(), d2(), d3(), d4(), d5(), d6(),
		e1(), e2(), e3(), e4(), e5(), e6(), e7(), e8(), e9(), e10(), e11(), e12(),
	)
})

func find(id string) *experiment {
	if i := slices.IndexFunc(experiments(), func(e *experiment) bool { return strings.EqualFold(e.id, id) }); i >= 0 {
		return experiments()[i]
	}
	return nil
}

// choose returns the experiments that are named, in the order of the registry: by
// ID, by the letter of their article, or all.
func choose(names []string) ([]*experiment, error) {
	var chosen []*experiment
	for _, name := range names {
		n := len(chosen)
		for _, e := range experiments() {
			if strings.EqualFold(name, "all") || strings.EqualFold(name, e.id) || strings.EqualFold(name, e.id[:1]) {
				chosen = append(chosen, e)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("unknown experiment %q: want %s, the letter of an article, or all", name, ids())
		}
	}
	return slices.DeleteFunc(slices.Clone(experiments()), func(e *experiment) bool { return !slices.Contains(chosen, e) }), nil
}

func ids() string {
	return strings.Join(each(experiments(), func(e *experiment) string { return e.id }), ", ")
}

func completeIDs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return each(experiments(), func(e *experiment) string { return e.id + "\t" + e.title }), cobra.ShellCompDirectiveNoFileComp
}

// completeID has completion offer an experiment, and nothing for its points.
func completeID(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeIDs(c, args, begun)
}

// A text says what an experiment is, and what its article claims.
type text struct {
	title, about, claim string
	further             string // how a reader can add to it
	article, link       string
}

//go:embed experiments.md
var page string

// described gives experiments their texts, from the page.
func described(all ...*experiment) []*experiment {
	texts := map[string]text{}
	for of := range strings.SplitSeq("\n"+strings.ReplaceAll(page, "\r\n", "\n"), "\n# ") {
		head, rest, _ := strings.Cut(of, "\n## ")
		article, link, _ := strings.Cut(head, "\n")
		for section := range strings.SplitSeq(rest, "\n## ") {
			heading, body, _ := strings.Cut(section, "\n")
			id, title, _ := strings.Cut(heading, ". ")
			t := text{title: title, article: article, link: strings.Trim(link, "\n<>")}
			for paragraph := range strings.SplitSeq(body, "\n\n") {
				words := strings.Join(strings.Fields(paragraph), " ")
				if claim, is := strings.CutPrefix(words, "Claim: "); is {
					t.claim = claim
				} else if further, is := strings.CutPrefix(words, "Further: "); is {
					t.further = further
				} else {
					t.about = strings.TrimSpace(t.about + " " + words)
				}
			}
			texts[id] = t
		}
	}
	for _, e := range all {
		e.text = texts[e.id]
	}
	return all
}

func sentence(words string) string { return capital(words) + "." }

func capital(words string) string {
	r, n := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(r)) + words[n:]
}
