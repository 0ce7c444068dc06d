package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// rows are the rows of one table as COPY's own text, so that a bare COPY of them waits for nothing but the server.
type rows struct {
	table, columns string
	text           []byte
	count          int64
}

// take copies a table out, without generated columns.
func take(ctx context.Context, pool *pgxpool.Pool, table, where string) (rows, error) {
	r := rows{table: table}
	var names []string
	err := pool.QueryRow(ctx, `SELECT array_agg(quote_ident(attname) ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`, table).Scan(&names)
	if err != nil {
		return r, err
	}
	r.columns = strings.Join(names, ", ")
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return r, err
	}
	defer conn.Release()
	var buf bytes.Buffer
	tag, err := conn.Conn().PgConn().CopyTo(ctx, &buf, fmt.Sprintf("COPY (SELECT %s FROM %s %s) TO STDOUT", r.columns, table, where))
	r.text, r.count = buf.Bytes(), tag.RowsAffected()
	return r, err
}

// put copies the rows into another table.
func (r rows) put(ctx context.Context, tx pgx.Tx, table string) error {
	tag, err := tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(r.text), fmt.Sprintf("COPY %s (%s) FROM STDIN", table, r.columns))
	if err == nil && tag.RowsAffected() != r.count {
		err = fmt.Errorf("COPY into %s took %d of %d rows", table, tag.RowsAffected(), r.count)
	}
	return err
}

// rounds are repeated measurements of some work, each with the COPYs that it is held against: what else the machine does at that moment is in
// both, so that the ratio is taken round by round.
type rounds struct {
	rows   int
	work   []spent
	copies map[string][]spent
}

func (r *rounds) add(work spent) { r.work = append(r.work, work) }

func (r *rounds) against(name string, s spent) {
	if r.copies == nil {
		r.copies = map[string][]spent{}
	}
	r.copies[name] = append(r.copies[name], s)
}

// perSecond is the median of rows a second.
func (r *rounds) perSecond(samples []spent) float64 {
	return middle(samples, func(s spent) float64 { return perSecondOf(r.rows, s) })
}

// compare adds the medians of what the work and a COPY do in a second, and of their ratio, by the clock and by processor time.
func (b *bench) compare(r *rounds, name, what string, floor float64) {
	copies := r.copies[name]
	clock, cpu := make([]float64, len(copies)), make([]float64, len(copies))
	for i, c := range copies {
		clock[i], cpu[i] = r.work[i].speed(c)
	}
	same := func(v float64) float64 { return v }
	b.also("  "+name, r.perSecond(copies), perSecond)
	b.atLeast(what, middle(clock, same), share, floor)
	if v := middle(cpu, same); v > 0 {
		b.also("    the same by processor time", v, share)
	}
}

// middle is the median of what of each sample.
func middle[T any](samples []T, what func(T) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = what(s)
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// copyOnce says how long a COPY of these rows takes, with its commit. create makes the empty table, which is called bare_<table>.
func (b *bench) copyOnce(ctx context.Context, pool *pgxpool.Pool, create string, r rows) (spent, error) {
	for _, sql := range []string{"DROP TABLE IF EXISTS bare_" + r.table, create, "CHECKPOINT"} {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return spent{}, fmt.Errorf("%.80s: %w", sql, err)
		}
	}
	return b.timedPut(ctx, pool, []rows{r}, "bare_")
}

// timedPut times the COPY of all these rows, in one transaction with its commit, into the tables of their names with a prefix.
func (b *bench) timedPut(ctx context.Context, pool *pgxpool.Pool, all []rows, prefix string) (spent, error) {
	return b.timed(func() error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			for _, r := range all {
				if err := r.put(ctx, tx, prefix+r.table); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// plain is a table of the same columns and nothing else.
func plain(table string) string {
	return fmt.Sprintf("CREATE TABLE bare_%s AS SELECT * FROM %s WITH NO DATA", table, table)
}

// alike is a table of the same shape: defaults, checks, generated columns, keys and indexes. Foreign keys and triggers are not part of it.
func alike(table string) string {
	return fmt.Sprintf("CREATE TABLE bare_%s (LIKE %s INCLUDING ALL)", table, table)
}
