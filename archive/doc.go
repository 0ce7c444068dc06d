// Package archive is the vocabulary of descriptions as people read, edit and decide on them: the list with its filters, one description with
// all that is known of it, edits with their rules, and reviews. It imports the standard library and worker, so that store, handlers and views
// may share it.
package archive
