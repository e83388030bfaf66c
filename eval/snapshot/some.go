package snapshot

// Some transfers the changed elements of list, or all elements: their number, then for each its place and the
// fields of state. A place after the last element adds a new element.
func Some[T interface{ Changed() bool }](c *Codec, list []T, all bool, limit int, state func(c *Codec, i int)) {
	n := 0
	for _, v := range list {
		if all || v.Changed() {
			n++
		}
	}
	c.Len(&n, limit)
	for i := 0; n > 0 && c.Err() == nil; i++ {
		if !c.Decoding() && !all && !list[i].Changed() {
			continue
		}
		at := i
		c.Index(&at, limit)
		if at < i {
			c.Fail("places that do not ascend")
			return
		}
		i = at
		state(c, i)
		c.Cut()
		n--
	}
}
