package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"
	"unicode"

	"scrinalia/pairs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	strictThreshold, looseThreshold = 0.90, 0.60
	strictBudget, looseBudget       = 40, 20 // times faster than pg_trgm's best plan
	pairMemoryBudget                = 1024   // MB
	countBudget                     = 10     // ms
)

// measurePairs compares all names of a real-sized archive with those of many entities: from the names in the database to the pairs in the database,
// against counting the same pairs with pg_trgm's indexes.
func (b *bench) measurePairs(ctx context.Context) error {
	p, err := b.named(ctx, "bench_pairs", b.size.pairTags, b.size.pairEntities)
	if err != nil {
		return err
	}
	defer p.close()
	for _, m := range []struct{ threshold, budget float64 }{{strictThreshold, strictBudget}, {looseThreshold, looseBudget}} {
		took, found, err := b.comparing(ctx, p, m.threshold)
		if err != nil {
			return err
		}
		alone, err := b.joining(ctx, p, m.threshold, found)
		if err != nil {
			return err
		}
		sizes := fmt.Sprintf("%s x %s names at %.2f", thousands(int64(b.size.pairTags)), thousands(int64(b.size.pairEntities)), m.threshold)
		b.also(fmt.Sprintf("pairs, %s: %s found", sizes, thousands(found)), inMilliseconds(alone), milliseconds)
		b.also("  from the names in the database to the pairs in the database", inMilliseconds(took), milliseconds)
		best := time.Duration(0)
		for _, index := range []string{"gin", "gist"} {
			for _, side := range []string{"tags", "entities"} {
				plan, err := b.plan(ctx, p.store.Pool(), index, side, m.threshold, found)
				if err != nil {
					return err
				}
				what := fmt.Sprintf("  counted by pg_trgm with %s on %s", strings.ToUpper(index), side)
				if plan >= planLimit {
					what += ", which was given up"
				}
				b.also(what, inMilliseconds(plan), milliseconds)
				if best == 0 || plan < best {
					best = plan
				}
			}
		}
		b.atLeast("  times faster than the best of these", best.Seconds()/alone.Seconds(), share, m.budget)
		b.also("  the same with reading the names and storing the pairs", best.Seconds()/took.Seconds(), share)
	}
	if err := b.countingPairs(ctx, p); err != nil {
		return err
	}
	return b.manyNames(ctx)
}

// named makes an archive with tags and entities and nothing else.
func (b *bench) named(ctx context.Context, name string, tags, entities int) (*program, error) {
	if err := b.make(ctx, name, ""); err != nil {
		return nil, err
	}
	p, err := b.open(ctx, name)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(seedHigh, seedLow))
	subjects := distinct(random, tags, func() string { return strings.ToLower(someName(random)) })
	names := distinct(random, entities, func() string {
		if random.IntN(10) == 0 {
			return spoiled(random, subjects[random.IntN(len(subjects))])
		}
		return someName(random)
	})
	pool := p.store.Pool()
	if _, err = pool.Exec(ctx, "INSERT INTO tags (name) SELECT n FROM unnest($1::text[]) AS n ON CONFLICT DO NOTHING", subjects); err == nil {
		_, err = pool.Exec(ctx, "INSERT INTO entities (name, type) SELECT n, 'LOC' FROM unnest($1::text[]) AS n ON CONFLICT DO NOTHING", names)
	}
	if err == nil {
		_, err = pool.Exec(ctx, "VACUUM ANALYZE")
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// distinct makes n different names.
func distinct(random *rand.Rand, n int, make func() string) []string {
	seen := map[string]bool{}
	var list []string
	for len(list) < n {
		name := make()
		for seen[strings.ToLower(name)] {
			name += " " + syllable(random)
		}
		seen[strings.ToLower(name)] = true
		list = append(list, name)
	}
	return list
}

func syllable(random *rand.Rand) string {
	const consonants, vowels = "bcdfglmnprstvz", "aeiouãéôí"
	return string(consonants[random.IntN(len(consonants))]) + string([]rune(vowels)[random.IntN(9)])
}

// Names as they are common in the archives that this is for: many share their words.
var (
	firstNames = strings.Fields(`João José Maria Antônio Manuel Francisco Ana Joaquim Pedro Luís Carlos Paulo Rosa Teresa Isabel Sebastião Bento Vicente
		Domingos Miguel Rita Francisca Joana Amélia Júlia Benedito Inácio Raimundo Augusto Henrique Alfredo Eduardo Artur Ernesto Olga Helena Laura Clara`)

	surnames = strings.Fields(`Silva Santos Oliveira Souza Pereira Ferreira Almeida Costa Carvalho Gomes Martins Araújo Ribeiro Barbosa Rocha Dias Nascimento Andrade
		Moreira Nunes Marques Machado Mendes Freitas Cardoso Ramos Gonçalves Teixeira Correia Cavalcanti Monteiro Barros Pinto Moura Campos Borges Batista Vieira
		Prado Queiroz Guimarães Magalhães Nogueira Figueiredo Toledo Camargo Bueno Arruda Leite Siqueira`)

	bodies = strings.Split("Câmara Municipal|Escola Normal|Grupo Escolar|Santa Casa de Misericórdia|Companhia de Estradas de Ferro|Associação Comercial|Sociedade Beneficente|Igreja Matriz|Secretaria de Obras|Fábrica de Tecidos|Clube Literário|Banco Agrícola", "|")
	roads  = strings.Fields("Rua Avenida Praça Largo Travessa Vila Rio Córrego Fazenda Bairro Estação Ponte")
)

// surname is mostly a common one.
func surname(random *rand.Rand) string {
	if random.IntN(6) > 0 {
		return one(random, surnames)
	}
	return strings.Join([]string{strings.ToUpper(syllable(random)), syllable(random), syllable(random)}[:2+random.IntN(2)], "")
}

// someName is the name of a person, of a body or of a place, or a subject.
func someName(random *rand.Rand) string {
	switch random.IntN(4) {
	case 0:
		return one(random, firstNames) + " " + one(random, firstNames) + one(random, []string{" ", " de ", " da ", " dos "}) + surname(random) + " " + surname(random)
	case 1:
		return one(random, bodies) + " de " + place(random.IntN(len(places))) + " " + surname(random)
	case 2:
		return one(random, roads) + " " + one(random, firstNames) + " " + surname(random) + " (" + place(random.IntN(len(places))) + ")"
	}
	return one(random, things) + " " + one(random, qualities) + " " + one(random, links) + " " + surname(random)
}

// spoiled is a name as somebody else writes it.
func spoiled(random *rand.Rand, name string) string {
	runes := []rune(name)
	i := random.IntN(len(runes))
	switch random.IntN(5) {
	case 0:
		return strings.ToUpper(name)
	case 1:
		return name + "s"
	case 2:
		return string(runes[:i]) + "e" + string(runes[i:])
	case 3:
		return string(runes[:i]) + string(runes[i+1:]) + "."
	}
	return strings.ToUpper(string(runes[:1])) + string(runes[1:])
}

// comparing is the median of comparisons of all names from nothing.
func (b *bench) comparing(ctx context.Context, p *program, threshold float64) (time.Duration, int64, error) {
	took := make([]time.Duration, b.size.repeats)
	var found int64
	for i := range took {
		if _, err := p.store.Pool().Exec(ctx, "TRUNCATE similar_pairs; UPDATE pair_comparison SET floor = NULL"); err != nil {
			return 0, 0, err
		}
		begin := time.Now()
		if err := p.store.ComparePairs(ctx, threshold); err != nil {
			return 0, 0, err
		}
		took[i] = time.Since(begin)
		count, err := p.store.CountPairs(ctx, threshold)
		if err != nil {
			return 0, 0, err
		}
		found = count.Eligible
	}
	return median(took), found, nil
}

// joining is the median of finding the pairs of names that are in memory: their trigrams, and the join.
func (b *bench) joining(ctx context.Context, p *program, threshold float64, want int64) (time.Duration, error) {
	list := func(table string) ([]string, error) {
		rows, err := p.store.Pool().Query(ctx, "SELECT name FROM "+table+" ORDER BY id")
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowTo[string])
	}
	tags, err := list("tags")
	if err != nil {
		return 0, err
	}
	entities, err := list("entities")
	if err != nil {
		return 0, err
	}
	alphabet := pairs.Alphabet{}
	for _, r := range strings.Join(tags, "") + strings.Join(entities, "") {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			alphabet[r] = strings.ToLower(string(r))
		}
	}
	t, err := pairs.NewThreshold(threshold)
	if err != nil {
		return 0, err
	}
	took := make([]time.Duration, b.size.repeats)
	for i := range took {
		begin := time.Now()
		found, err := pairs.Join(ctx, alphabet.Sets(tags), alphabet.Sets(entities), t, 1<<30)
		if err != nil {
			return 0, err
		}
		took[i] = time.Since(begin)
		if int64(len(found)) != want {
			return 0, fmt.Errorf("%d pairs were stored, %d found", want, len(found))
		}
	}
	return median(took), nil
}

// planLimit is when a plan of pg_trgm is given up.
const planLimit = time.Minute

// plan counts the pairs through an index on one side and wants the same number.
func (b *bench) plan(ctx context.Context, pool *pgxpool.Pool, index, side string, threshold float64, want int64) (took time.Duration, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		for _, sql := range []string{
			fmt.Sprintf("CREATE INDEX bench_names ON %s USING %s (name %s_trgm_ops)", side, index, index),
			fmt.Sprintf("SET LOCAL pg_trgm.similarity_threshold = %f", threshold-0.000001), // the edge is in; % compares in single precision
			"SET LOCAL enable_seqscan = off",
			fmt.Sprintf("SET LOCAL statement_timeout = %d", planLimit.Milliseconds()),
			"ANALYZE " + side,
		} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		var found int64
		begin := time.Now()
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM tags t JOIN entities e ON t.name % e.name").Scan(&found); err != nil {
			return err
		}
		took = time.Since(begin)
		if found != want {
			return fmt.Errorf("pg_trgm with %s on %s finds %d pairs at %.2f, here they are %d", index, side, found, threshold, want)
		}
		return errRollBack
	})
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "57014" { // it took too long
		return planLimit, nil
	}
	if errors.Is(err, errRollBack) {
		err = nil
	}
	return took, err
}

var errRollBack = errors.New("measured; the index goes")

// countingPairs measures the count when nothing changed, and after one name did.
func (b *bench) countingPairs(ctx context.Context, p *program) error {
	if _, _, err := b.comparing(ctx, p, strictThreshold); err != nil {
		return err
	}
	took := make([]time.Duration, b.size.requests)
	for i := range took {
		begin := time.Now()
		if _, behind, err := p.store.MeasurePairs(ctx, strictThreshold); err != nil || behind > 0 {
			return fmt.Errorf("not counted: %d names behind, %w", behind, err)
		}
		took[i] = time.Since(begin)
	}
	b.within("pairs counted with nothing changed, p95", percentile(took, 95), milliseconds, countBudget)
	changed := make([]time.Duration, b.size.runs)
	for i := range changed {
		if _, err := p.store.Pool().Exec(ctx, "UPDATE tags SET name = name || 'x' WHERE id = (SELECT id FROM tags WHERE char_length(name) < 90 ORDER BY id LIMIT 1 OFFSET $1)", i); err != nil {
			return err
		}
		begin := time.Now()
		if err := p.store.ComparePairs(ctx, strictThreshold); err != nil {
			return err
		}
		changed[i] = time.Since(begin)
	}
	b.also("pairs brought up to date after one name changed, p95", percentile(changed, 95), milliseconds)
	return nil
}

// manyNames compares far more names and watches the memory that it takes.
func (b *bench) manyNames(ctx context.Context) error {
	p, err := b.named(ctx, "bench_names", b.size.manyTags, b.size.manyEntities)
	if err != nil {
		return err
	}
	defer p.close()
	runtime.GC()
	before := memory()
	peak, stop, stopped := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				peak = max(peak, memory())
			}
		}
	}()
	begin := time.Now()
	err = p.store.ComparePairs(ctx, strictThreshold)
	took := time.Since(begin)
	close(stop)
	<-stopped
	if err != nil {
		return err
	}
	count, err := p.store.CountPairs(ctx, strictThreshold)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("pairs, %s x %s names at %.2f", thousands(int64(b.size.manyTags)), thousands(int64(b.size.manyEntities)), strictThreshold)
	b.also(fmt.Sprintf("%s: %s found and stored", what, thousands(count.Eligible)), inMilliseconds(took), milliseconds)
	b.within(what+": memory that it takes", float64(peak)/(1<<20), megabytes, pairMemoryBudget)
	return nil
}

// memory is what the process holds of the machine's, without what it gave back.
func memory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
