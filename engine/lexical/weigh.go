package lexical

// weighForms lets the head of the title decide: the first part whose head names
// a form. Forms named elsewhere count little.
func (m *matcher) weighForms() {
	head, factor := m.head()
	for k := range m.spans {
		s := &m.spans[k]
		f := weightMention * s.factor
		if k == head {
			f = factor * s.factor
		}
		for _, e := range s.entries {
			m.evidence[e.label] = max(m.evidence[e.label], e.weight*f)
		}
	}
}

// head is the index of the span that is the head of the title, and what that
// position weighs; -1 if no part begins with a form. A part that begins with
// a strong term is preferred to an earlier one with a weak term.
func (m *matcher) head() (int, float64) {
	best, bestFactor, bestWeight := -1, 0.0, 0.0
	k := 0
	for i := 0; i < len(m.tokens); {
		segment := m.tokens[i].segment
		lead := 1.0
		if i > 0 {
			lead = weightPart
		}
		open := i == 0 || !m.tokens[i].after // "..., com ata e fotografias" opens nothing
		for ; i < len(m.tokens) && m.tokens[i].segment == segment; i++ {
			for k < len(m.spans) && m.spans[k].end <= i {
				k++
			}
			if !open {
				continue
			}
			if k < len(m.spans) && m.spans[k].start == i {
				if w := strongest(m.spans[k].entries); w > bestWeight {
					best, bestFactor, bestWeight = k, lead, w
				}
				open = false
			} else if m.skips(i) {
				lead = min(lead, weightLead)
			} else {
				open = false
			}
		}
	}
	return best, bestFactor
}

// skips reports whether the form may yet follow token i: "Cópia da", "12".
func (m *matcher) skips(i int) bool {
	t := &m.tokens[i]
	return m.set.skip[t.lemma] || t.word[0] >= '0' && t.word[0] <= '9'
}

func strongest(entries []entry) float64 {
	w := 0.0
	for _, e := range entries {
		w = max(w, e.weight)
	}
	return w
}

// weighTopics adds up what every word says, the first word somewhat more.
func (m *matcher) weighTopics() {
	covered := 0
	// The name of a subject itself outweighs its adjective: "Arquitetura escolar".
	named := len(m.spans) > 0 && m.spans[0].start == 0 && names(m.spans[0].entries)
	for k := range m.spans {
		s := &m.spans[k]
		covered += s.end - s.start
		f := s.factor
		switch {
		case s.start == 0:
		case m.tokens[s.start].after || m.tokens[s.start].segment > 0:
			f *= weightLater
		case named:
			f *= weightModifier / 2
		default:
			f *= weightModifier
		}
		for _, e := range s.entries {
			w := min(e.weight*f, 1)
			m.evidence[e.label] = 1 - (1-m.evidence[e.label])*(1-w)
		}
	}
	share := float64(covered) / float64(len(m.tokens))
	for i := range m.evidence {
		m.evidence[i] *= 1 - coverageWeight + coverageWeight*share
	}
}

// choose sets the best label against the next best and calibrates.
func (m *matcher) choose() Choice {
	best, second, at := 0.0, 0.0, -1
	for i, e := range m.evidence {
		if e > best {
			best, second, at = e, best, i
		} else if e > second {
			second = e
		}
	}
	if at < 0 || at >= len(m.set.labels) || best < leastEvidence || best-second < tie {
		return Choice{}
	}
	rival, curve := rivalTopic, topicCurve
	if m.set.forms {
		rival, curve = rivalForm, formCurve
	}
	return Choice{Label: m.set.labels[at], Score: curve.at(best - rival*second)}
}

func names(entries []entry) bool {
	for _, e := range entries {
		if e.role == roleName {
			return true
		}
	}
	return false
}
