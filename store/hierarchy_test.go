package store_test

import (
	"strings"
	"testing"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// tree shows each description below its ancestors: "a/b/c", with ? behind an orphan.
func (a *archive) tree() string {
	a.t.Helper()
	return strings.Join(column[string](a, `SELECT (SELECT coalesce(string_agg(p.description_id || '/', '' ORDER BY u.n), '')
			FROM unnest(h.ancestors) WITH ORDINALITY AS u (id, n) JOIN documents p ON p.id = u.id) || d.description_id || CASE WHEN h.orphan THEN '?' ELSE '' END
		FROM document_hierarchy h JOIN documents d ON d.id = h.document_id ORDER BY d.description_id`), " ")
}

func child(id, parent string) record {
	r := record{"description_id": id, "title": "Ata", "reference_code": "ref " + id}
	if parent != "" {
		r["parent_description_id"] = parent
	}
	return r
}

func byReference(id, parent string) record {
	return record{"description_id": id, "title": "Ata", "reference_code": "ref " + id, "parent_reference_code": "ref " + parent}
}

func TestHierarchy(t *testing.T) {
	t.Parallel()
	type step struct {
		load []record
		want string
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"children before their parents", []step{{[]record{child("c", "b"), child("b", "a"), child("a", "")}, "a a/b a/b/c"}}},
		{"by reference code", []step{{[]record{byReference("c", "b"), byReference("b", "a"), child("a", "")}, "a a/b a/b/c"}}},
		{"an orphan is linked by a later run, with everything below it", []step{
			{[]record{child("c", "b"), child("d", "c"), child("b", "a")}, "b? b/c b/c/d"},
			{[]record{child("a", "")}, "a a/b a/b/c a/b/c/d"},
		}},
		{"an orphan by reference code", []step{
			{[]record{byReference("b", "a"), byReference("c", "b")}, "b? b/c"},
			{[]record{child("a", "")}, "a a/b a/b/c"},
		}},
		{"a moved branch takes everything along", []step{
			{[]record{child("a", ""), child("b", ""), child("c", "a"), child("d", "c"), child("e", "d")}, "a b a/c a/c/d a/c/d/e"},
			{[]record{child("c", "b")}, "a b b/c b/c/d b/c/d/e"},
			{[]record{child("c", "")}, "a b c c/d c/d/e"},
			{[]record{child("c", "gone")}, "a b c? c/d c/d/e"},
		}},
		{"its own parent", []step{{[]record{child("a", "a"), child("b", "a")}, "a? a/b"}}},
		{"a circle, mended later", []step{
			{[]record{child("a", "c"), child("b", "a"), child("c", "b"), child("x", "")}, ""}, // what waits depends on the order
			{[]record{child("a", "x")}, "x/a x/a/b x/a/b/c x"},
		}},
		{"a circle closed by a change, and mended", []step{
			{[]record{child("a", ""), child("b", "a"), child("c", "b")}, "a a/b a/b/c"},
			{[]record{child("a", "c")}, ""},
			{[]record{child("a", "")}, "a a/b a/b/c"},
		}},
		{"a description that is touched again", []step{
			{[]record{child("a", ""), child("b", "a")}, "a a/b"},
			{[]record{{"description_id": "a", "title": "Ata nova", "reference_code": "ref a"}}, "a a/b"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{1, 100} {
				a := newArchive(t)
				for i, s := range tt.steps {
					a.load(s.load...)
					a.run(worker.Transfer, map[string]any{"batch_size": size})
					if diff := cmp.Diff(s.want, a.tree()); s.want != "" && diff != "" {
						t.Errorf("batches of %d, step %d: -want +got:\n%s", size, i, diff)
					}
					a.checkPaths()
				}
			}
		})
	}
}

// TestDeepHierarchy: no depth that a real archive has is cut.
func TestDeepHierarchy(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	const depth = 100
	var records []record
	for i := depth; i > 0; i-- {
		parent := ""
		if i > 1 {
			parent = strings.Repeat("x", i-1)
		}
		records = append(records, child(strings.Repeat("x", i), parent))
	}
	a.load(records...)
	a.run(worker.Transfer, map[string]any{"batch_size": 9})
	a.checkPaths()
	if got := value[int](a, "SELECT max(cardinality(ancestors)) FROM document_hierarchy"); got != depth-1 {
		t.Errorf("the deepest has %d ancestors, want %d", got, depth-1)
	}
}
