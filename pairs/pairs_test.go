package pairs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"scrinalia/pairs"
	"scrinalia/store/storetest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// database is a real PostgreSQL with pg_trgm.
type database struct {
	*pgx.Conn

	t testing.TB
}

// open connects to a database of this locale, or to one as the program makes it.
func open(t testing.TB, locale string) database {
	t.Helper()
	address := storetest.EmptyURL(t)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if locale != "" {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.ToLower(u.Path[1:] + "_" + locale)
		if _, err := conn.Exec(t.Context(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE template0 LC_CTYPE '%s' LC_COLLATE '%[2]s'", name, locale)); err != nil {
			t.Fatal(err)
		}
		admin := conn
		t.Cleanup(func() {
			if _, err := admin.Exec(context.WithoutCancel(t.Context()), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
				t.Error(err)
			}
			_ = admin.Close(context.WithoutCancel(t.Context()))
		})
		u.Path = "/" + name
		if conn, err = pgx.Connect(t.Context(), u.String()); err != nil {
			t.Fatal(err)
		}
	}
	d := database{conn, t}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	if _, err := d.Exec(t.Context(), "CREATE EXTENSION pg_trgm"); err != nil {
		t.Fatal(err)
	}
	return d
}

// alphabet learns the characters of these names.
func (d database) alphabet(names ...[]string) pairs.Alphabet {
	d.t.Helper()
	known := map[rune]bool{}
	var characters []string
	for _, name := range slices.Concat(names...) {
		for _, r := range name {
			if !known[r] {
				known[r], characters = true, append(characters, string(r))
			}
		}
	}
	rows, err := d.Query(d.t.Context(), "SELECT c, lower(c), show_trgm(c) FROM unnest($1::text[]) AS c", characters)
	if err != nil {
		d.t.Fatal(err)
	}
	a := pairs.Alphabet{}
	var c, lower string
	var shown []string
	if _, err := pgx.ForEachRow(rows, []any{&c, &lower, &shown}, func() error { return a.Learn([]rune(c)[0], shown, lower) }); err != nil {
		d.t.Fatal(err)
	}
	return a
}

// similar is what pg_trgm makes of two lists. It compares with the threshold in single precision, in which similarity answers: so that the edge
// is in, as it is for Join.
func (d database) similar(a, b []string, threshold float64) [][2]int32 {
	d.t.Helper()
	rows, err := d.Query(d.t.Context(), `SELECT a.i::int - 1, b.i::int - 1 FROM unnest($1::text[]) WITH ORDINALITY AS a (name, i), unnest($2::text[]) WITH ORDINALITY AS b (name, i)
		WHERE similarity(a.name, b.name) >= $3::float8::real ORDER BY 1, 2`, a, b, threshold)
	if err != nil {
		d.t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (p [2]int32, err error) { return p, r.Scan(&p[0], &p[1]) })
	if err != nil {
		d.t.Fatal(err)
	}
	return found
}

func join(t testing.TB, a pairs.Alphabet, x, y []string, threshold float64) []pairs.Match {
	t.Helper()
	th, err := pairs.NewThreshold(threshold)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pairs.Join(t.Context(), a.Sets(x), a.Sets(y), th, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func places(found []pairs.Match) [][2]int32 {
	out := make([][2]int32, len(found))
	for i, m := range found {
		out[i] = [2]int32{m.A, m.B}
	}
	slices.SortFunc(out, func(x, y [2]int32) int { return slices.Compare(x[:], y[:]) })
	return out
}

// adversaries are names that are read in surprising ways, or not at all.
var adversaries = []string{
	"", " ", "\u00a0", "a", "A", "é", "É", "e\u0301", "E\u0301", "1", "12", "1912", "-", "---", "'", "d'água", "d’água", "D'ÁGUA", "dágua", "São João", "são  joão", "SÃO\u00a0JOÃO",
	"são\u2009joão", "São João.", "sa\u0303o joa\u0303o", "İstanbul", "istanbul", "ISTANBUL", "ıstanbul", "straße", "STRASSE", "STRAẞE", "\u212a", "k", "ǅ", "ǆ", "Ω", "ω", "Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ", "東京", "東京都", "🏛", "🏛 museu",
	"museu", "x²", "x2", "½", "１２", "٣", "3", "ª", "nº 5", "no 5", "n° 5", "a_b", "a b", "a-b", "a.b", "ab", "A&B", "\u200b", "foo\u200bbar", "foo bar", "foobar", "\ufeffmuseu", "ﬁm", "fim", "Ǆ", "aaaaaaaaaaaaaaaa", "aaaa",
	"ababababab", "bababababa", "rua da praia", "praia da rua", "rua da praia rua da praia", strings.Repeat("museu ", 60), strings.Repeat("avenida ç", 50), strings.Repeat("çãé", 100), "\t\n", "a\tb", "museu\u0000"[:5],
	"abcdefgh", "abcdefghi", "abcdefghij", "abcdefghijk", "abcdefghijkl", "abcdefghijklm", "zbcdefghijklm",
}

var syllables = strings.Fields("ca sa do mar ção são pré rio de da São João José Maria pe dro ni lo an tô nio ú l ti mo 18 190 7 n' d' ó Á É ç ü")

func randomName(r *rand.Rand) string {
	var s strings.Builder
	for range 1 + r.IntN(7) {
		s.WriteString(syllables[r.IntN(len(syllables))])
		if r.IntN(3) == 0 {
			s.WriteString([]string{" ", " ", "  ", "\u00a0", "-", ", ", "'", "."}[r.IntN(8)])
		}
	}
	return s.String()
}

// spoil changes a little of a name.
func spoil(r *rand.Rand, name string) string {
	runes := []rune(name)
	for range r.IntN(3) {
		i := r.IntN(len(runes) + 1)
		switch r.IntN(4) {
		case 0:
			runes = slices.Insert(runes, i, []rune("aéç 1'\u0301Z")[r.IntN(8)])
		case 1:
			if i < len(runes) {
				runes = slices.Delete(runes, i, i+1)
			}
		case 2:
			if i < len(runes) {
				runes[i] = unicode.ToUpper(runes[i])
			}
		default:
			runes = append(runes, []rune(" s")[r.IntN(2):]...)
		}
	}
	return string(runes)
}

// lists are two lists of names of which many resemble each other.
func lists(r *rand.Rand, n int) (a, b []string) {
	a, b = slices.Clone(adversaries), slices.Clone(adversaries)
	for range n {
		name := randomName(r)
		a, b = append(a, name), append(b, spoil(r, name))
		if r.IntN(4) == 0 {
			a, b = append(a, spoil(r, name)), append(b, randomName(r))
		}
	}
	r.Shuffle(len(a), func(i, k int) { a[i], a[k] = a[k], a[i] })
	return a, b
}

func TestTrigramsAreThoseOfPostgres(t *testing.T) {
	t.Parallel()
	for _, locale := range []string{"", "C"} {
		t.Run("locale "+locale, func(t *testing.T) {
			t.Parallel()
			d := open(t, locale)
			r := rand.New(rand.NewPCG(1, 1))
			x, y := lists(r, 3000)
			names := slices.Concat(x, y)
			for range 2000 { // any characters at all
				runes := make([]rune, r.IntN(12))
				for i := range runes {
					runes[i] = rune(1 + r.IntN([]int{0x7f, 0x24f, 0x2fff, 0x1ffff}[r.IntN(4)]))
					if runes[i] >= 0xd800 && runes[i] < 0xe000 {
						runes[i] = 'x'
					}
				}
				names = append(names, string(runes))
			}
			a := d.alphabet(names)
			rows, err := d.Query(t.Context(), "SELECT n, show_trgm(n) FROM unnest($1::text[]) AS n", names)
			if err != nil {
				t.Fatal(err)
			}
			var name string
			var shown []string
			if _, err := pgx.ForEachRow(rows, []any{&name, &shown}, func() error {
				want := make([]string, 0, len(shown))
				for _, s := range shown {
					if len(s) == 3 {
						s = fmt.Sprintf("0x%02x%02x%02x", s[0], s[1], s[2])
					}
					want = append(want, s)
				}
				slices.Sort(want)
				got := []string{}
				for _, g := range a.Trigrams(name) {
					got = append(got, fmt.Sprintf("0x%06x", g))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%q: -pg_trgm +here:\n%s", name, diff)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestJoinIsThatOfPostgres(t *testing.T) {
	t.Parallel()
	for seed, threshold := range []float64{0.01, 0.3, 0.6, 0.75, 0.85, 0.9, 1} {
		t.Run(fmt.Sprint(threshold), func(t *testing.T) {
			t.Parallel()
			d := open(t, "")
			x, y := lists(rand.New(rand.NewPCG(uint64(seed), 2)), 400)
			alphabet := d.alphabet(x, y)
			found := join(t, alphabet, x, y, threshold)
			if diff := cmp.Diff(d.similar(x, y, threshold), places(found)); diff != "" {
				t.Errorf("-pg_trgm +here:\n%s", diff)
			}
			if len(found) < 100 {
				t.Errorf("only %d pairs: nothing is tested", len(found))
			}
		})
	}
}

// TestTheEdge: a pair that reaches the decimal threshold exactly is in, whatever the rounding.
func TestTheEdge(t *testing.T) {
	t.Parallel()
	d := open(t, "")
	// abcdefgh has 9 trigrams, abcdefg hx has 11, ...: nine of ten are shared by these
	x, y := []string{"abcdefgh b"}, []string{"abcdefgh"}
	var got float32
	var pg bool
	if err := d.QueryRow(t.Context(), "SELECT similarity($1, $2), similarity($1, $2) >= 9::float8 / 11", x[0], y[0]).Scan(&got, &pg); err != nil {
		t.Fatal(err)
	}
	alphabet := d.alphabet(x, y)
	found := join(t, alphabet, x, y, 0.5)
	if len(found) != 1 || found[0].Shared != 9 || found[0].Total != 11 {
		t.Fatalf("got %+v, similarity %v", found, got)
	}
	tests := []struct {
		threshold     float64
		shared, total int
		want          bool
	}{
		{0.9, 9, 10, true},
		{0.9, 18, 20, true},
		{0.9, 17, 19, false},
		{0.6, 3, 5, true},
		{0.6, 30, 50, true},
		{0.7, 7, 10, true},
		{0.3, 3, 10, true},
		{0.1 + 0.2, 3, 10, true},
		{0.333, 1, 3, true},
		{0.334, 1, 3, false},
		{1, 10, 10, true},
		{1, 9, 10, false},
		{1e-15, 1, 1000, true},
		{0.5, 0, 0, false},
	}
	for _, tt := range tests {
		th, err := pairs.NewThreshold(tt.threshold)
		if err != nil {
			t.Fatal(err)
		}
		if got := th.Reached(tt.shared, tt.total); got != tt.want {
			t.Errorf("%d of %d at %s: %t, want %t", tt.shared, tt.total, th, got, tt.want)
		}
	}
	for _, bad := range []float64{0, -1, 1.01, 1e-16} {
		if _, err := pairs.NewThreshold(bad); err == nil {
			t.Errorf("threshold %v was accepted", bad)
		}
	}
}

func TestJoinStops(t *testing.T) {
	t.Parallel()
	same := make([][]uint32, 2000)
	for i := range same {
		same[i] = []uint32{1, 2, 3}
	}
	th, err := pairs.NewThreshold(0.9)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pairs.Join(t.Context(), same, same, th, 1_000_000); !errors.Is(err, pairs.ErrTooMany) {
		t.Errorf("4,000,000 pairs: %v, want ErrTooMany", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pairs.Join(ctx, same, same, th, 1<<30); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestJoinInOrder: the most similar first, then as the lists are, however many processors took part.
func TestJoinInOrder(t *testing.T) {
	t.Parallel()
	d := open(t, "")
	x, y := lists(rand.New(rand.NewPCG(9, 9)), 1500)
	alphabet := d.alphabet(x, y)
	first := join(t, alphabet, x, y, 0.6)
	if !slices.IsSortedFunc(first, func(a, b pairs.Match) int {
		if c := int64(b.Shared)*int64(a.Total) - int64(a.Shared)*int64(b.Total); c != 0 {
			return int(c)
		}
		return slices.Compare([]int32{a.A, a.B}, []int32{b.A, b.B})
	}) {
		t.Error("not sorted")
	}
	if diff := cmp.Diff(first, join(t, alphabet, x, y, 0.6)); diff != "" {
		t.Error(diff)
	}
}
