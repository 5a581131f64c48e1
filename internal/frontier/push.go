package frontier

const (
	// manyKeys is from how many keys on its stack a walker looks within a chunk
	// whether others need some.
	manyKeys = 1024
	// immediateKeys is how many keys of a visit that turns out to be long go to the
	// others one by one. Then up to an eighth of what went before is held back.
	immediateKeys = 64
)

func (p *walker[K]) push(k K) {
	v := p.v
	if p.mode == ended {
		panic("sweetspot: Walk: push was called after its visit had returned")
	}
	h := v.set.Hash(k)
	if p.mode == serial {
		if !v.wanted.Load() {
			if v.shared != nil || v.set.Large() {
				p.collect(h, k)
			} else if v.set.Add(h, k) {
				p.keys = append(p.keys, k)
			}
			return
		}
		// This visit is long, or a helper has come.
		p.beginShared()
		p.mode, p.added = immediate, 0
		p.giveAll()
		v.needHelper()
	}
	if p.mode == batched {
		if p.collectSharded(h, k) {
			if p.waiting() >= manyKeys && p.giveHalf() {
				p.spawn()
			}
		} else if p.batches.Len() >= p.room {
			p.giveAll()
			v.needHelper()
			p.room = max(p.added/8, immediateKeys/8)
		}
		return
	}
	if v.shared.Add(h, k) {
		p.keys = append(p.keys, k)
		p.giveAll()
		p.spawn()
	}
	if p.added++; p.added == immediateKeys && !p.w.Aside && !p.slow() {
		p.mode, p.room = batched, immediateKeys/8
	}
}
