package views

import "github.com/a-h/templ"

// invalid are the attributes that tie a control to the line below it, and mark one that was refused.
func invalid(id, refused string) templ.Attributes {
	a := templ.Attributes{"aria-describedby": id + "-h"}
	if refused != "" {
		a["aria-invalid"] = "true"
	}
	return a
}
