package main

import (
	"bytes"
	"context"
	"fmt"
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

// bareCopy says how long a COPY of all these rows takes, in one transaction with its commit, at its best. prepare makes the empty tables, which are called bare_<table>.
func (b *bench) bareCopy(ctx context.Context, pool *pgxpool.Pool, prepare []string, all ...rows) (spent, error) {
	took := make([]spent, b.size.repeats)
	for i := range took {
		var err error
		if took[i], err = b.copyOnce(ctx, pool, prepare, all); err != nil {
			return spent{}, err
		}
	}
	return best(took), nil
}

func (b *bench) copyOnce(ctx context.Context, pool *pgxpool.Pool, prepare []string, all []rows) (spent, error) {
	for i := range all { // the last first: the others may be referred to
		if _, err := pool.Exec(ctx, "DROP TABLE IF EXISTS bare_"+all[len(all)-1-i].table); err != nil {
			return spent{}, err
		}
	}
	for _, sql := range append(prepare, "CHECKPOINT") {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return spent{}, fmt.Errorf("%.80s: %w", sql, err)
		}
	}
	return b.timed(func() error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			for _, r := range all {
				if err := r.put(ctx, tx, "bare_"+r.table); err != nil {
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
