package views

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wrote is a sentence that the program can say, as the catalogues of sentences have it.
type wrote struct{ text, where string }

var verb = regexp.MustCompile(`%[-+# 0]*[\d.]*[a-z]`)

// template turns a format of fmt into a sentence with placeholders.
func template(format string) string {
	n := -1
	return verb.ReplaceAllStringFunc(strings.ReplaceAll(format, "%%", "%"), func(v string) string {
		n++
		if v == "%q" {
			return `"{` + strconv.Itoa(n) + `}"`
		}
		return "{" + strconv.Itoa(n) + "}"
	})
}

// writtenBy finds the sentences of a file: the formats of worker.Errorf and store's noSuch, and Msg and Fields of a worker.Error.
func writtenBy(t *testing.T, path string) []wrote {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var all []wrote
	add := func(e ast.Expr) {
		if format, ok := constant(e); ok {
			all = append(all, wrote{template(format), set.Position(e.Pos()).String()})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch name := called(n.Fun); {
			case name == "worker.Errorf", name == "noSuch", name == "Errorf" && file.Name.Name == "worker":
				add(n.Args[1])
			}
		case *ast.CompositeLit:
			if called(n.Type) != "worker.Error" {
				return true
			}
			for _, e := range n.Elts {
				pair, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				switch called(pair.Key) {
				case "Msg":
					add(sprintf(pair.Value))
				case "Fields":
					if m, ok := pair.Value.(*ast.CompositeLit); ok {
						for _, e := range m.Elts {
							add(sprintf(e.(*ast.KeyValueExpr).Value))
						}
					}
				}
			}
		}
		return true
	})
	return all
}

// sprintf is the format of a call of fmt.Sprintf, else e.
func sprintf(e ast.Expr) ast.Expr {
	if call, ok := e.(*ast.CallExpr); ok && called(call.Fun) == "fmt.Sprintf" {
		return call.Args[0]
	}
	return e
}

func called(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return called(e.X) + "." + e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// constant is the value of a string literal, or of a sum of them.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, okA := constant(e.X)
		b, okB := constant(e.Y)
		return a + b, okA && okB
	}
	return "", false
}

// neverOnPages are packages whose sentences end in a terminal, or in the log before a page could be shown.
var neverOnPages = []string{"cmd", "bench", "eval", "sample", "node_modules", "bin", ".git"}

// TestSentences: what errors say to people is there in every language, and says as much.
func TestSentences(t *testing.T) {
	t.Parallel()
	var all []wrote
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(neverOnPages, d.Name()):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, "_templ.go"):
			all = append(all, writtenBy(t, path)...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d sentences found", len(all))
	}
	for _, l := range Languages[1:] {
		for _, s := range all {
			if l.Sentence(s.text) == s.text && strings.Contains(s.text, " ") {
				t.Errorf("sentences/%s.json lacks %q (%s)", l, s.text, s.where)
			}
		}
		for _, s := range sentences[l] {
			english := s.pattern.NumSubexp()
			for i := range 10 {
				if has := strings.Contains(s.text, "{"+strconv.Itoa(i)+"}"); has != (i < english) {
					t.Errorf("sentences/%s.json: %q and its English differ in {%d}", l, s.text, i)
				}
			}
		}
	}
}

func TestSentenceInPortuguese(t *testing.T) {
	t.Parallel()
	for english, want := range map[string]string{
		"There is no run \"<b>\".":   "Não há execução “<b>”.",
		"There is no run #12.":       "Não há execução nº 12.",
		"Nobody ever wrote this.":    "Nobody ever wrote this.",
		strings.Repeat("long ", 999): strings.Repeat("long ", 999),
	} {
		if got := Portuguese.Sentence(english); got != want {
			t.Errorf("%q is %q, not %q", english, got, want)
		}
		if got := English.Sentence(english); got != english {
			t.Errorf("%q became %q in English", english, got)
		}
	}
}
