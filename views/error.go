package views

import "scrinalia/worker"

// ErrorPage is a request that was not answered as asked.
type ErrorPage struct {
	Frame
	Status   int
	Key      string           // which texts it has: notfound, conflict, refused, unavailable, forbidden, misdirected, method, toolarge, malformed, internal
	Subject  string           // what the text is about, where it names something
	Detail   string           // a sentence of the program about this case, safe to show
	Fields   []string         // refusals, field by field
	InWay    *worker.Run      // the run that is in the way
	InLabel  string           // the name of its worker
	Pipeline *worker.Pipeline // the pipeline that is in the way
	Back     string           // where to go on
}

// Title says what is the matter.
func (p ErrorPage) Title() string {
	if p.InWay != nil {
		if p.InWay.Status == worker.Queued {
			return p.T("error.inflight.queued", p.WorkerLabel(p.InWay.Worker, p.InLabel))
		}
		return p.T("error.inflight.running", p.WorkerLabel(p.InWay.Worker, p.InLabel))
	}
	if p.Pipeline != nil {
		return p.T("error.pipeline.title")
	}
	return p.T("error." + p.Key + ".title")
}

// Text says what it means and what to do.
func (p ErrorPage) Text() string {
	if p.Pipeline != nil {
		return p.T("error.pipeline.text", p.Asker(p.Pipeline.RequestedBy), p.When(p.Pipeline.StartedAt))
	}
	return p.T("error."+p.Key+".text", p.Subject)
}

// WayText names who started the run in the way, when, and how far it is.
func (p ErrorPage) WayText() string {
	r := *p.InWay
	if r.StartedAt == nil {
		return p.T("error.inflight.text.queued", p.Who(r), p.When(r.QueuedAt))
	}
	return p.T("error.inflight.text", p.Who(r), p.When(*r.StartedAt), p.Done(r))
}

// Look is the class, the shape and the colour of the notice.
func (p ErrorPage) Look() Outcome {
	switch {
	case p.InWay != nil:
		o := p.Outcome(*p.InWay)
		return Outcome{Icon: o.Icon, Class: "s-warn", Word: o.Class}
	case p.Status == 404 || p.Status == 405:
		return Outcome{Icon: "s-unk", Class: "", Word: "still"}
	case p.Status == 409:
		return Outcome{Icon: "s-warn", Class: "s-warn", Word: "warn"}
	}
	return Outcome{Icon: "s-fail", Class: "s-bad", Word: "bad"}
}
