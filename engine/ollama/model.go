package ollama

import "strings"

// SameModel says whether Ollama takes both names for the same model: a name whose last path segment has no tag is the one
// tagged latest. A name with a digest is only the same as itself.
func SameModel(a, b string) bool { return tagged(a) == tagged(b) }

func tagged(name string) string {
	last := name[strings.LastIndexByte(name, '/')+1:]
	if name == "" || strings.ContainsAny(last, ":@") {
		return name
	}
	return name + ":latest"
}
