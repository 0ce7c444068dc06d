// Package views is what people see: one templ component a page and one for the part of it that refreshes, the texts in
// each language, and the functions that write numbers, durations and times. It takes values and does no I/O: what is shown
// comes in a page struct, the hour included. It may import worker and templ, never echo, a store or net/http.
package views
