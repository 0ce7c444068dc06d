package main

import (
	"context"
	"fmt"

	"scrinalia/importer"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5/pgxpool"
)

// transferBudget is the share of a bare COPY's speed that transfer must reach.
const transferBudget = 0.25

// measureTransfer holds the transfer of a bulk import against a COPY of what it writes.
func (b *bench) measureTransfer(ctx context.Context) error {
	c := b.size.bulk()
	if err := b.stage(ctx, c); err != nil {
		return err
	}
	var took []spent
	for i := range b.size.repeats {
		name := fmt.Sprintf("bench_transfer_%d", i)
		d, err := b.transferOnce(ctx, name, c.records)
		if err != nil {
			return err
		}
		b.say("  %d records transferred in %.1f s, %.1f s of processors", c.records, d.wall.Seconds(), d.cpu.Seconds())
		took = append(took, d)
		if i < b.size.repeats-1 {
			if err := b.drop(ctx, name); err != nil {
				return err
			}
		}
	}
	last := fmt.Sprintf("bench_transfer_%d", b.size.repeats-1)
	p, err := b.open(ctx, last)
	if err != nil {
		return err
	}
	descriptions, everything, err := b.copyTransferred(ctx, p.store.Pool())
	p.close()
	if err != nil {
		return err
	}
	d := best(took)
	b.also(fmt.Sprintf("transfer of %s records", thousands(int64(c.records))), perSecondOf(c.records, d), perSecond)
	b.also("  COPY of the descriptions alone, no index", perSecondOf(c.records, descriptions), perSecond)
	b.also("  COPY of all rows it writes, keys and indexes, per record", perSecondOf(c.records, everything), perSecond)
	b.faster("(a) transfer, speed against COPY of the descriptions alone", d, descriptions, transferBudget)
	b.faster("(b) transfer, speed against COPY of all rows it writes", d, everything, transferBudget)
	return b.drop(ctx, last)
}

// stagedDatabase has the records of a bulk import in staging and nothing else.
const stagedDatabase = "bench_staged"

func (b *bench) stage(ctx context.Context, c collection) error {
	if b.has(stagedDatabase) {
		return nil
	}
	lines, _, err := b.files(c)
	if err != nil {
		return err
	}
	if err := b.make(ctx, stagedDatabase, ""); err != nil {
		return err
	}
	p, err := b.open(ctx, stagedDatabase)
	if err != nil {
		return err
	}
	defer p.close()
	return p.load(ctx, lines, importer.JSONLines, c.records)
}

func (b *bench) transferOnce(ctx context.Context, name string, records int) (spent, error) {
	if err := b.make(ctx, name, stagedDatabase); err != nil {
		return spent{}, err
	}
	if err := b.exec(ctx, name, "CHECKPOINT"); err != nil {
		return spent{}, err
	}
	p, err := b.open(ctx, name)
	if err != nil {
		return spent{}, err
	}
	defer p.close()
	var r worker.Run
	took, err := b.timed(func() error {
		var err error
		r, err = p.work(ctx, worker.Transfer)
		return err
	})
	if err == nil && r.Processed != int64(records) {
		err = fmt.Errorf("transfer processed %d of %d records", r.Processed, records)
	}
	return took, err
}

// transferTables are what transfer writes, in the order that their foreign keys want. Of the tallies it writes a row a batch.
var transferTables = []string{"tags", "documents", "document_hierarchy", "document_tags", "execution_log"}

// sameShape makes the tables for the fair comparison: everything that the real ones have, but for triggers.
var sameShape = []string{
	alike("tags"), alike("documents"), alike("document_hierarchy"), alike("document_tags"), alike("execution_log"),
	"ALTER TABLE bare_tags ADD FOREIGN KEY (subject_category_id) REFERENCES subject_categories (id)",
	"ALTER TABLE bare_documents ADD FOREIGN KEY (level_id) REFERENCES levels (id), ADD FOREIGN KEY (typology_id) REFERENCES typologies (id)",
	`ALTER TABLE bare_document_hierarchy ADD FOREIGN KEY (document_id) REFERENCES bare_documents (id) ON DELETE CASCADE,
		ADD FOREIGN KEY (parent_id) REFERENCES bare_documents (id) ON DELETE SET NULL`,
	`ALTER TABLE bare_document_tags ADD FOREIGN KEY (document_id) REFERENCES bare_documents (id) ON DELETE CASCADE,
		ADD FOREIGN KEY (tag_id) REFERENCES bare_tags (id), ADD FOREIGN KEY (run_id) REFERENCES archive_worker_runs (id)`,
}

// copyTransferred times a COPY of the descriptions alone, and one of everything.
func (b *bench) copyTransferred(ctx context.Context, pool *pgxpool.Pool) (descriptions, everything spent, err error) {
	all := make([]rows, len(transferTables))
	for i, t := range transferTables {
		where := ""
		if t == "execution_log" {
			where = "WHERE worker_name = 'transfer'"
		}
		if all[i], err = take(ctx, pool, t, where); err != nil {
			return spent{}, spent{}, err
		}
		b.say("  %s rows of %s, %.1f MB", thousands(all[i].count), t, float64(len(all[i].text))/1e6)
	}
	if descriptions, err = b.bareCopy(ctx, pool, []string{plain("documents")}, all[1]); err != nil {
		return spent{}, spent{}, err
	}
	if _, err := pool.Exec(ctx, "DROP TABLE bare_documents"); err != nil {
		return spent{}, spent{}, err
	}
	everything, err = b.bareCopy(ctx, pool, sameShape, all...)
	return descriptions, everything, err
}
