package main

import (
	"context"
	"fmt"

	"scrinalia/importer"
	"scrinalia/worker"
)

// transferBudget is the share of a bare COPY's speed that transfer must reach.
const transferBudget = 0.25

// What transfer is held against. The first is the budget's: the rows that a COPY would have to bring, into the real tables, with their indexes,
// checks, generated columns and foreign keys, but without the triggers that keep the counts. The others are there to be compared with.
const (
	sameTables  = "COPY of its descriptions, tags and links into the same tables, per record"
	sameRows    = "COPY of all rows that it writes into the same tables, per record"
	plainTables = "COPY of its descriptions, tags and links into tables without any index, per record"
)

// measureTransfer holds the transfer of a bulk import against COPYs of what it writes, round by round.
func (b *bench) measureTransfer(ctx context.Context) error {
	c := b.size.bulk()
	if err := b.stage(ctx, c); err != nil {
		return err
	}
	r := &rounds{rows: c.records}
	for range b.size.repeats {
		if err := b.transferRound(ctx, r); err != nil {
			return err
		}
	}
	b.also(fmt.Sprintf("transfer of %s records, median of %d", thousands(int64(c.records)), b.size.repeats), r.perSecond(r.work), perSecond)
	b.compare(r, sameTables, "transfer, speed against that COPY", transferBudget)
	b.compare(r, sameRows, "transfer, speed against that COPY", 0)
	b.compare(r, plainTables, "transfer, speed against that COPY", 0)
	return nil
}

// transferRound transfers into one database and copies the rows that this made into another of the same kind.
func (b *bench) transferRound(ctx context.Context, r *rounds) error {
	const transferred, copied = "bench_transfer", "bench_copy"
	for _, name := range []string{transferred, copied} {
		if b.has(name) { // kept from the last round
			if err := b.forget(ctx, name); err != nil {
				return err
			}
		}
	}
	took, err := b.transferOnce(ctx, transferred, r.rows)
	if err != nil {
		return err
	}
	b.say("  %d records transferred in %.1f s, %.1f s of processors", r.rows, took.wall.Seconds(), took.cpu.Seconds())
	r.add(took)
	all, err := b.takeTransferred(ctx, transferred)
	if err != nil {
		return err
	}
	for _, t := range []struct {
		name string
		all  []rows
		into string
	}{{sameTables, all[:3], ""}, {sameRows, all, ""}, {plainTables, all[:3], "bare_"}} {
		took, err := b.copyTransferred(ctx, copied, t.all, t.into)
		if err != nil {
			return err
		}
		b.say("  %s: %.1f s, %.1f s of processors", t.name, took.wall.Seconds(), took.cpu.Seconds())
		r.against(t.name, took)
	}
	return b.drop(ctx, transferred)
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

// transferTables are what transfer writes, in the order that their foreign keys want; the first three are the descriptions, the tags and the
// links between them. Of the tallies it writes a row a batch.
var transferTables = []string{"tags", "documents", "document_tags", "document_hierarchy", "execution_log"}

// takeTransferred reads what transfer wrote.
func (b *bench) takeTransferred(ctx context.Context, database string) ([]rows, error) {
	p, err := b.open(ctx, database)
	if err != nil {
		return nil, err
	}
	defer p.close()
	all := make([]rows, len(transferTables))
	for i, t := range transferTables {
		where := ""
		if t == "execution_log" {
			where = "WHERE worker_name = 'transfer'"
		}
		if all[i], err = take(ctx, p.store.Pool(), t, where); err != nil {
			return nil, err
		}
		b.say("  %s rows of %s, %.1f MB", thousands(all[i].count), t, float64(len(all[i].text))/1e6)
	}
	return all, nil
}

// copyTransferred times a COPY of rows into a database that has the staging records and nothing else, as transfer finds it. Triggers of the
// program are off; those of foreign keys are not.
func (b *bench) copyTransferred(ctx context.Context, database string, all []rows, prefix string) (spent, error) {
	if err := b.make(ctx, database, stagedDatabase); err != nil {
		return spent{}, err
	}
	prepare := make([]string, 0, len(all)+1)
	for _, r := range all {
		if prefix == "" {
			prepare = append(prepare, "ALTER TABLE "+r.table+" DISABLE TRIGGER USER")
		} else {
			prepare = append(prepare, plain(r.table))
		}
	}
	if err := b.exec(ctx, database, append(prepare, "CHECKPOINT")...); err != nil {
		return spent{}, err
	}
	p, err := b.open(ctx, database)
	if err != nil {
		return spent{}, err
	}
	took, err := b.timedPut(ctx, p.store.Pool(), all, prefix)
	p.close()
	if err != nil {
		return spent{}, err
	}
	return took, b.forget(ctx, database)
}
