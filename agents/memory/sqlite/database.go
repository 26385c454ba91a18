//go:build !js

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	_ "modernc.org/sqlite/vec" // vec0 tables and their functions
)

// errCorrupt is wrapped by errors of a file that is no database, is damaged, or belongs to
// another application or to a newer version of this one.
var errCorrupt = errors.New("sqlite: the file is not a usable database")

// A layout says what a database is for.
type layout struct {
	app   int32    // id of the application, in the header of the file; not 0
	steps []string // statements that make version 1 of the schema, version 2 and so on
}

// patience is how long other processes are awaited.
const patience = 10 * time.Second

// pragmas of every connection: writers of other processes are awaited for ten seconds, and
// the first gigabyte of the file is mapped, since large values would be read from it by a
// system call each time (a third of the time of a search among vectors).
var pragmas = []string{"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)", "mmap_size(1073741824)"}

// openFile opens the database in a file, or creates it with mode 0600. Transactions lock the
// database at their beginning.
func openFile(ctx context.Context, path string, s layout) (*sql.DB, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return nil, fmt.Errorf("sqlite: no file can have the path %q", path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	if err := s.settle(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("sqlite: %s: %w", path, damaged(err)), db.Close())
	}
	return db, nil
}

// dsn returns the name of a file for the driver, in which no part of the path is taken for
// an option.
func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // of a drive
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}.Encode()}
	return u.String()
}

// settle applies the schema, again while another process opens or closes the database: the
// one that turns the write-ahead log on needs the file alone, and SQLite reports that to
// the others at once, whatever the timeout is.
func (s *layout) settle(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := s.apply(ctx, db)
		if e := (*sqlite.Error)(nil); !errors.As(err, &e) || e.Code()&0xff != codeBusy {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Millisecond):
		}
	}
}

// apply brings a database to the newest version of the schema.
func (s *layout) apply(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	var app int32
	var version, tables int
	row := tx.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)")
	if err := row.Scan(&app, &version, &tables); err != nil {
		return err
	}
	switch {
	case app == s.app && version > len(s.steps):
		return fmt.Errorf("%w: its version is %d, and the newest that is known %d", errCorrupt, version, len(s.steps))
	case app != s.app && (app != 0 || tables > 0):
		return fmt.Errorf("%w: it is the database of another application", errCorrupt)
	case app == s.app && version == len(s.steps):
		return nil
	}
	for _, step := range append([]string{fmt.Sprintf("PRAGMA application_id = %d", s.app)}, s.steps[version:]...) {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(s.steps))); err != nil {
		return err
	}
	return tx.Commit()
}

// Primary result codes: of a database that another connection has locked, and of damaged files.
const (
	codeBusy    = 5
	codeCorrupt = 11
	codeNotDB   = 26
)

// damaged returns err, and wraps errCorrupt if it is an error of a damaged file.
func damaged(err error) error {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) && (e.Code()&0xff == codeCorrupt || e.Code()&0xff == codeNotDB) {
		return fmt.Errorf("%w: %w", errCorrupt, err)
	}
	return err
}
