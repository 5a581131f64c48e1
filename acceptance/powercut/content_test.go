package powercut

import (
	"math/rand/v2"
	"slices"
)

const (
	pageSize   = 4096
	sectorSize = 512 // what a disk writes as a whole, or not at all
)

// A content is the bytes of a file. Pages are never changed once two contents share them.
type content struct {
	pages [][]byte // nil where nothing was written
	size  int64
}

// read copies from offset off to dst, and returns how many bytes there were.
func (c *content) read(dst []byte, off int64) int {
	if off >= c.size {
		return 0
	}
	dst = dst[:min(int64(len(dst)), c.size-off)]
	for n := 0; n < len(dst); {
		i, at := (off+int64(n))/pageSize, int((off+int64(n))%pageSize)
		part := dst[n:min(len(dst), n+pageSize-at)]
		if i < int64(len(c.pages)) && c.pages[i] != nil {
			copy(part, c.pages[i][at:])
		} else {
			clear(part)
		}
		n += len(part)
	}
	return len(dst)
}

// write copies data to offset off. Pages that kept has as well are copied first.
func (c *content) write(data []byte, off int64, kept *content) {
	end := off + int64(len(data))
	c.reach(max(c.size, end))
	for len(data) > 0 {
		i, at := off/pageSize, int(off%pageSize)
		n := copy(c.own(i, kept)[at:], data)
		data, off = data[n:], off+int64(n)
	}
}

// own returns page i, to write to.
func (c *content) own(i int64, kept *content) []byte {
	page := c.pages[i]
	if page == nil || kept.has(i, page) {
		page = append(make([]byte, 0, pageSize), page...)[:pageSize]
		c.pages[i] = page
	}
	return page
}

// has reports whether page is the one that c has at i.
func (c *content) has(i int64, page []byte) bool {
	return i < int64(len(c.pages)) && c.pages[i] != nil && &c.pages[i][0] == &page[0]
}

// reach makes c that long; what is new is zero.
func (c *content) reach(size int64) {
	for int64(len(c.pages)) < (size+pageSize-1)/pageSize {
		c.pages = append(c.pages, nil)
	}
	c.size = size
}

// truncate makes c that long, or that short.
func (c *content) truncate(size int64, kept *content) {
	if size < c.size {
		c.pages = c.pages[:(size+pageSize-1)/pageSize]
		if at := size % pageSize; at > 0 && c.pages[size/pageSize] != nil {
			clear(c.own(size/pageSize, kept)[at:])
		}
	}
	c.reach(size)
}

// clone returns a content with the same pages.
func (c *content) clone() content { return content{slices.Clone(c.pages), c.size} }

// survivor returns what is left of live after a cut, where kept is synced: each page that
// differs stays as it was, is the new one, or is torn between two sectors.
func survivor(live, kept *content, random *rand.Rand) content {
	left := kept.clone()
	if live.size != kept.size && random.IntN(2) == 0 {
		left.truncate(live.size, kept)
	}
	for i, page := range live.pages {
		if page == nil || kept.has(int64(i), page) || i >= len(left.pages) {
			continue
		}
		switch random.IntN(3) {
		case 0:
			left.pages[i] = page
		case 1:
			sectors := 1 + random.IntN(pageSize/sectorSize-1)
			copy(left.own(int64(i), kept)[:sectors*sectorSize], page)
		}
	}
	if at := left.size % pageSize; at > 0 && left.pages[left.size/pageSize] != nil {
		clear(left.own(left.size/pageSize, live)[at:]) // beyond the end there is nothing
	}
	return left
}
