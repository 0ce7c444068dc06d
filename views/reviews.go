package views

import (
	"net/url"
	"slices"
	"strings"

	"scrinalia/archive"
	"scrinalia/worker"
)

// Decided is the list of what was decided last, beside the kinds of what waits.
const Decided archive.Kind = "DECIDED"

// ReviewsPath is the address of a page of reviews.
func ReviewsPath(kind archive.Kind, after int64) string {
	q := url.Values{}
	if kind != "" {
		q.Set("kind", string(kind))
	}
	if after > 0 {
		q.Set("after", itoa(after))
	}
	if len(q) == 0 {
		return "/reviews"
	}
	return "/reviews?" + q.Encode()
}

// DonePath is the page after a decision, which can be undone there.
func DonePath(kind archive.Kind, after, id int64) string {
	q := url.Values{"kind": {string(kind)}, "done": {itoa(id)}}
	if after > 0 {
		q.Set("after", itoa(after))
	}
	return "/reviews?" + q.Encode()
}

// ManyPath is the page after so many were decided at once.
func ManyPath(kind archive.Kind, n int64) string {
	return "/reviews?" + url.Values{"kind": {string(kind)}, "many": {itoa(n)}}.Encode()
}

// DecidePath is where a review is decided.
func DecidePath(r archive.Review) string { return "/reviews/" + string(r.Kind) + "/" + itoa(r.ID) }

// UndoPath is where a decision is taken back.
func UndoPath(id int64) string { return "/reviews/undo/" + itoa(id) }

// AlikePath is where reviews that are alike are decided.
func AlikePath() string { return "/reviews/alike" }

// AskAlikePath is the page that asks before.
func AskAlikePath(kind archive.Kind, id int64) string {
	return AlikePath() + "?" + url.Values{"kind": {string(kind)}, "id": {itoa(id)}}.Encode()
}

// ReviewsPage is what waits of one kind, or what was decided last.
type ReviewsPage struct {
	Frame
	Kind       archive.Kind
	After      int64
	Counts     map[archive.Kind]archive.Count
	Page       archive.ReviewPage
	Categories []archive.Choice
	Done       *archive.Review // decided just now
	Many       int64           // as many were, at once
}

// First is the first kind of which something waits.
func (p ReviewsPage) First() archive.Kind {
	for _, k := range archive.Kinds {
		if p.Counts[k].N > 0 {
			return k
		}
	}
	return archive.Kinds[0]
}

// Next is the address of the next page; empty when there is none.
func (p ReviewsPage) Next() string {
	if p.Page.Next == 0 {
		return ""
	}
	return ReviewsPath(p.Kind, p.Page.Next)
}

// Tabs are the kinds and what was decided last.
func (p ReviewsPage) Tabs() []archive.Kind {
	return append(slices.Clip(archive.Kinds), Decided)
}

// CountOf says how much waits of a kind: 10,000+ when there is more.
func (p ReviewsPage) CountOf(k archive.Kind) string {
	if k == Decided {
		return ""
	}
	n := p.Num(p.Counts[k].N)
	if p.Counts[k].Capped {
		n += "+"
	}
	return n
}

// Waiting says how much waits, for the heading.
func (p ReviewsPage) Waiting() string {
	if p.Kind == Decided {
		return p.T("reviews.decided.heading")
	}
	if p.Counts[p.Kind].Capped {
		return p.T("reviews.waiting.more", p.Num(p.Counts[p.Kind].N))
	}
	return p.N("reviews.waiting", p.Counts[p.Kind].N)
}

// Summary is what is announced when it changes.
func (p ReviewsPage) Summary() string {
	if p.Done != nil {
		return p.DoneText(*p.Done) + " " + p.Waiting()
	}
	return p.Waiting()
}

// KindWord is the name of a kind.
func (f Frame) KindWord(k archive.Kind) string { return f.T("reviewkind." + string(k)) }

// VerdictWord is a decision as it is told afterwards.
func (f Frame) VerdictWord(r archive.Review) string {
	if r.Verdict == archive.File {
		return f.T("verdict.CATEGORY", r.Evidence.Chosen)
	}
	return f.Or("verdict."+string(r.Verdict), string(r.Verdict))
}

// ReviewName is what a review is about.
func (f Frame) ReviewName(r archive.Review) string {
	switch {
	case r.Document != nil:
		return f.DocumentTitle(r.Document.Title)
	case r.Kind == archive.Conflict:
		return r.TagName + " / " + r.Entity
	}
	return r.TagName
}

// DoneText says what was decided.
func (f Frame) DoneText(r archive.Review) string {
	return f.T("reviews.done", f.ReviewName(r), f.VerdictWord(r))
}

// UseText says in how many descriptions a name stands, with the titles of the first.
func (f Frame) UseText(u archive.Use) string {
	said := f.N("reviews.use", u.Descriptions)
	if u.Descriptions > archive.UseUpTo {
		said = f.T("reviews.use.more", f.Num(archive.UseUpTo))
	}
	for i, t := range u.Titles {
		said += []string{": ", ", "}[min(i, 1)] + f.T("reviews.quoted", f.DocumentTitle(t))
	}
	return said
}

// JudgeText says what the judge thinks of a conflict.
func (f Frame) JudgeText(r archive.Review) string {
	e := r.Evidence
	if e.Winner == "" {
		return f.T("reviews.alike.score", f.Dec(e.Similarity, 2))
	}
	return f.T("reviews.judge", f.Dec(e.Similarity, 2), f.T("reviews.side."+e.Winner), f.Dec(e.Confidence, 2), e.Reason)
}

// BestText says which category is the best guess for a tag.
func (f Frame) BestText(r archive.Review) string {
	if r.Evidence.Category == "" {
		return f.T("reviews.best.none")
	}
	return f.T("reviews.best", r.Evidence.Category, f.Dec(r.Evidence.Score, 2))
}

// DecidedBy says who decided: a person, or a run.
func (f Frame) DecidedBy(r archive.Review) string {
	if id, ok := strings.CutPrefix(r.DecidedBy, "run:"); ok {
		return f.T("reviews.byrun", id)
	}
	return f.Asker(r.DecidedBy)
}

// Repeated says whether other descriptions bear the same title.
func Repeated(r archive.Review) bool { return slices.Contains(r.Document.Reasons, "REPEATED_TITLE") }

// EntityPath and TagPath lead to the descriptions that use a name.
func EntityPath(id int64) string { return DocumentsPath(archive.Filter{Entity: id}) }

// TagPath leads to the descriptions that have a tag.
func TagPath(id int64) string { return DocumentsPath(archive.Filter{Tag: id}) }

// suggests says whether the judge would keep this side.
func suggests(r archive.Review, side string) bool {
	return r.Evidence.Winner == side && (side == worker.KeepTag || side == worker.KeepEntity)
}

// AlikePage asks before many reviews are decided at once.
type AlikePage struct {
	Frame
	Kind  archive.Kind
	ID    int64
	Alike archive.Alike
}

// Count is how many there are.
func (p AlikePage) Count() int64 { return int64(len(p.Alike.IDs)) }

// Shown are the names of the first.
func (p AlikePage) Shown() []string { return p.Alike.Names[:min(len(p.Alike.Names), 20)] }

// Question is what is asked.
func (p AlikePage) Question() string {
	if p.Kind == archive.Conflict {
		return p.N("alike.conflicts", p.Count())
	}
	return p.N("alike.anomalies", p.Count())
}
