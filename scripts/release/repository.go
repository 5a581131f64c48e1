package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A repository is a Git work tree.
type repository struct{ dir string }

func open(ctx context.Context, dir string) (*repository, error) {
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	return &repository{filepath.FromSlash(top)}, nil
}

// homeOf returns the folder of the repository with the folder .git, for a work tree that was
// added to it: others read repositories only there.
func homeOf(ctx context.Context, tree string) (string, error) {
	common, err := git(ctx, tree, "rev-parse", "--git-common-dir")
	if err != nil {
		return "", err
	}
	if common = filepath.FromSlash(common); !filepath.IsAbs(common) {
		common = filepath.Join(tree, common)
	}
	return filepath.Dir(common), nil
}

// ready returns an error if the work tree has changes that no commit has, or if one of the
// tags exists.
func (r *repository) ready(ctx context.Context, tags []string) error {
	changes, err := git(ctx, r.dir, "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("the work tree has changes; commit them first:\n%s", changes)
	}
	list, err := git(ctx, r.dir, "tag", "--list")
	if err != nil {
		return err
	}
	for _, tag := range strings.Fields(list) {
		if slices.Contains(tags, tag) {
			return fmt.Errorf("the tag %s exists already: choose another version", tag)
		}
	}
	return nil
}

// tag gives the commit of p its tags: all of them or none.
func (r *repository) tag(ctx context.Context, p *publication) error {
	whole := context.WithoutCancel(ctx) // a tag that is begun, and what takes tags away, goes to its end
	for _, tag := range p.tags {
		err := ctx.Err()
		if err == nil {
			_, err = git(whole, r.dir, "tag", "--annotate", "--message", tag, tag, p.commit)
		}
		if err != nil {
			return errors.Join(err, r.untag(whole, p))
		}
	}
	return nil
}

// untag takes all tags away from the commit of p. It asks Git which ones there are: one that failed,
// since an interrupt reached Git as well, may have been made.
func (r *repository) untag(ctx context.Context, p *publication) error {
	made, err := git(ctx, r.dir, "tag", "--points-at", p.commit)
	if err != nil || made == "" {
		return err
	}
	_, err = git(ctx, r.dir, append([]string{"tag", "--delete"}, strings.Fields(made)...)...)
	return err
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(failed.Stderr)))
		}
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
