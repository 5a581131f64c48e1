package lab

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
	for of := range strings.SplitSeq("\n"+page, "\n# ") {
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
					t.about += words
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
