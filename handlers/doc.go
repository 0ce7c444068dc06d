// Package handlers answers HTTP: the pages of the panel and the JSON of the same addresses. A handler reads the request,
// makes one call, fills a page and renders it; every error goes to one place, which alone knows status codes. The package
// knows the executor and the ledger as the interfaces that it declares. It may import worker, views and static, never a
// database.
package handlers
