package views

// EmptyPage is the first start: nothing was imported yet.
type EmptyPage struct {
	Frame
	Workers int
	Problem string // why the last upload was refused
	Filled  bool   // there are descriptions already
}

// Title is what the page is about: the empty archive, or bringing in more.
func (p EmptyPage) Title() string {
	if p.Filled {
		return p.T("empty.back")
	}
	return p.T("empty.title")
}

// Reject is a row that was not imported.
type Reject struct {
	Line   int64  `json:"line"`
	Column string `json:"column"`
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// ImportReport says what became of a file. Read = Imported + Unchanged + Rejected.
type ImportReport struct {
	File      string   `json:"file"`
	Format    string   `json:"format"`
	Encoding  string   `json:"encoding"`
	Read      int64    `json:"read"`
	Imported  int64    `json:"imported"`
	Unchanged int64    `json:"unchanged"`
	Rejected  int64    `json:"rejected"`
	Rejects   []Reject `json:"rejects"`
	Notes     []string `json:"notes"`
	CheckOnly bool     `json:"check_only"`
	// RejectsPath is the address of the file with every reject; empty when there is none.
	RejectsPath string `json:"rejects_path,omitempty"`
	// RejectsFile is that file on disk, on its way from the importer to where it is kept; whoever has the report removes or moves it.
	RejectsFile string `json:"-"`
}

// ReportPage is the report of an import.
type ReportPage struct {
	Frame
	Report ImportReport
}

// Title says in a sentence what happened.
func (p ReportPage) Title() string {
	switch {
	case p.Report.CheckOnly:
		return p.T("import.checked")
	case p.Report.Imported == 0 && p.Report.Rejected == 0:
		return p.T("import.unchanged")
	}
	return p.N("import.done", p.Report.Imported)
}

// Format names the file's format.
func (p ReportPage) Format() string { return p.Or("format."+p.Report.Format, p.Report.Format) }

// ImportedWord is imported, or what an import would keep.
func (p ReportPage) ImportedWord() string {
	if p.Report.CheckOnly {
		return p.T("import.would")
	}
	return p.T("import.imported")
}

// Shown says how many of the rejects the page lists.
func (p ReportPage) Shown() string {
	if int64(len(p.Report.Rejects)) < p.Report.Rejected {
		return p.T("import.rejects.first", p.Num(int64(len(p.Report.Rejects))), p.Num(p.Report.Rejected))
	}
	return ""
}
