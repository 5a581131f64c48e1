package run

import (
	"context"
	"fmt"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// bounds of what may be finished but not yet printed: because stdout is slow, or with
// -k because an earlier job still runs. Beyond them no job is started, so memory, files
// and disk stay bounded. The job that is waited for has been started before and runs on,
// so this cannot lock up.
type bounds struct {
	memory int64 // the sum of small outputs, and as much again for what the joblog will say of them
	disk   int64 // the sum of the others
	files  int   // the spools that these are in
	jobs   int64 // with -k, so many jobs are begun ahead of the next to print
}

// smallOutput is how large an output may be to wait in memory.
const smallOutput = 64 << 10

// theBounds leaves half of the files to what runs: a spool has two.
func theBounds() bounds {
	const jobs = 16 << 10
	return bounds{memory: 32 << 20, disk: 1 << 30, files: spareFiles(jobs), jobs: jobs}
}

// admit waits until job number seq may begin, and returns the cause of ctx if
// that ends first. A longer wait for an earlier job is said once.
func (p *printer) admit(ctx context.Context, seq int64) error {
	var long <-chan time.Time
	for {
		p.mu.Lock()
		why := p.full(seq)
		if why == "" {
			p.barred = 0
			p.mu.Unlock()
			return nil
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.barred = seq
		if long == nil && !p.said && p.waitsForJob() {
			long = time.After(sayAfter)
		}
		p.mu.Unlock()
		select {
		case <-freed:
		case <-long:
			p.mu.Lock()
			said := p.said
			p.said = true
			p.mu.Unlock()
			if !said {
				p.console.tell("no job is started for now: " + why)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// full returns why job number seq may not begin yet, or "". It is called with p.mu held.
func (p *printer) full(seq int64) string {
	waiting := ""
	switch {
	case p.ordered && seq == p.next: // the others wait for it
		return ""
	case p.disk >= p.bounds.disk, p.files >= p.bounds.files:
		waiting = bytesText(float64(p.disk)) + " of output"
	case p.memory >= 2*p.bounds.memory:
		waiting = bytesText(float64(p.memory)) + " of output"
	case p.ordered && seq-p.next >= p.bounds.jobs:
		waiting = "the output of " + humanize.Count(seq-p.next-1, "jobs")
	default:
		return ""
	}
	if p.waitsForJob() {
		return fmt.Sprintf("%s is to be printed after that of job %d, which still runs (-k)", waiting, p.next)
	}
	return waiting + " waits until what is printed has been read"
}

// waitsForJob reports whether what is held is behind a job that runs. It is called with
// p.mu held.
func (p *printer) waitsForJob() bool { return p.ordered && !p.printing && len(p.ready) == 0 }

// held returns why no job may begin, for the status line, or "".
func (p *printer) held() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.barred == 0 {
		return ""
	}
	return p.full(p.barred)
}

// holdsFiles reports whether outputs in files wait to be printed, and not for a job.
func (p *printer) holdsFiles() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.files > 0 && !p.waitsForJob()
}

// makeRoom wakes those who wait to begin a job. It is called with p.mu held.
func (p *printer) makeRoom() {
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}
