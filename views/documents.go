package views

import (
	"net/url"
	"slices"
	"strings"

	"scrinalia/archive"
	"scrinalia/worker"
)

// DocumentsPath is the address of a page of the descriptions.
func DocumentsPath(f archive.Filter) string {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" && value != "0" {
			q.Set(name, value)
		}
	}
	set("status", string(f.Status))
	set("reason", f.Reason)
	set("typology", itoa(int64(f.Typology)))
	set("level", itoa(int64(f.Level)))
	set("tag", itoa(f.Tag))
	set("entity", itoa(f.Entity))
	set("pending", f.Pending)
	set("stale", f.Stale)
	set("before", itoa(f.Before))
	set("after", itoa(f.After))
	if len(q) == 0 {
		return "/documents"
	}
	return "/documents?" + q.Encode()
}

// DocumentPath is the address of one description.
func DocumentPath(id int64) string { return "/documents/" + itoa(id) }

// EditPath is the form of one description.
func EditPath(id int64) string { return DocumentPath(id) + "/edit" }

// DocumentsPage is a page of the descriptions with its filters.
type DocumentsPage struct {
	Frame
	Filter  archive.Filter
	Page    archive.Page
	Choices archive.Choices
	Workers []Neighbour // whose units are descriptions
}

// ToEarlier and ToLater are the addresses of the pages beside this one; empty when there is none.
func (p DocumentsPage) ToEarlier() string {
	if p.Page.Earlier == 0 {
		return ""
	}
	f := p.Filter
	f.Before, f.After = p.Page.Earlier, 0
	return DocumentsPath(f)
}

// ToLater is the address of the next page.
func (p DocumentsPage) ToLater() string {
	if p.Page.Later == 0 {
		return ""
	}
	f := p.Filter
	f.Before, f.After = 0, p.Page.Later
	return DocumentsPath(f)
}

// Reasons are the anomaly reasons that the filter offers; one that is asked for is among them.
func (p DocumentsPage) Reasons() []string {
	list := append(slices.Clone(archive.Reasons), p.Choices.Reasons...)
	if p.Filter.Reason != "" && !slices.Contains(list, p.Filter.Reason) {
		list = append(list, p.Filter.Reason)
	}
	return list
}

// Without is the address of the list without the tag, or without the entity, that the filter asks for.
func (p DocumentsPage) Without(kind string) string {
	f := p.Filter
	f.Before, f.After = 0, 0
	if kind == "tag" {
		f.Tag = 0
	} else {
		f.Entity = 0
	}
	return DocumentsPath(f)
}

// Empty is what stands in place of the rows.
func (p DocumentsPage) Empty() string {
	if p.Filter.Filtered() || p.Filter.After > 0 || p.Filter.Before > 0 {
		return p.T("documents.none.filtered")
	}
	return p.T("documents.none")
}

// Facts is the line below a title: what there is of level, date and typology.
func (f Frame) Facts(d archive.Summary) string {
	var parts []string
	for _, s := range []string{d.Level, d.Date, d.Typology} {
		if strings.TrimSpace(s) != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}

// DocumentTitle is a description's title, or that it has none.
func (f Frame) DocumentTitle(title string) string {
	if strings.TrimSpace(title) == "" {
		return f.T("search.untitled")
	}
	return title
}

// Review is a review status as it is shown.
func (f Frame) Review(s archive.Status) Outcome {
	o := Outcome{Icon: "s-unk", Class: "still", Word: f.Or("reviewstatus."+string(s), string(s))}
	switch s {
	case archive.PendingAI:
		o.Icon = "s-queue"
	case archive.AIApproved:
		o.Icon = "p-ai"
	case archive.NeedsReview:
		o.Icon, o.Class = "s-warn", "warn"
	case archive.HumanApproved:
		o.Icon, o.Class = "p-human", "ok"
	case archive.Rejected:
		o.Icon = "s-can"
	}
	return o
}

// ReasonWord is an anomaly reason in words.
func (f Frame) ReasonWord(reason string) string {
	if rule, ok := strings.CutPrefix(reason, worker.RuleMatch); ok {
		return f.T("documents.rule", rule)
	}
	if f.hasLabel(reason) {
		return f.noteLabel(reason)
	}
	return reason
}

// WithReason is the list of the descriptions that have a reason.
func WithReason(reason string) string { return DocumentsPath(archive.Filter{Reason: reason}) }
