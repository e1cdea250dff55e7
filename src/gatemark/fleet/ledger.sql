-- SPDX-License-Identifier: Apache-2.0
-- The ledger of a campaign: what is to do, where, and which attempt counts. Its invariants are
-- held here, so that no fault of a program can break them.
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE station(
  name TEXT PRIMARY KEY, model TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'ok' CHECK(state IN ('ok', 'suspect', 'quarantined')),
  why TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;
CREATE TABLE build(
  model TEXT NOT NULL, name TEXT NOT NULL, place INTEGER NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY(model, name), UNIQUE(model, place)) STRICT, WITHOUT ROWID;
CREATE TABLE block(
  id INTEGER PRIMARY KEY, model TEXT NOT NULL, suite TEXT NOT NULL, repeat INTEGER NOT NULL,
  seed INTEGER NOT NULL, trials INTEGER NOT NULL, estimate_s REAL NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting'
    CHECK(state IN ('waiting', 'running', 'done', 'given up')),
  UNIQUE(model, suite, repeat)) STRICT;
CREATE TABLE attempt(
  id INTEGER PRIMARY KEY, block INTEGER NOT NULL REFERENCES block,
  station TEXT NOT NULL REFERENCES station, folder TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'claimed'
    CHECK(state IN ('claimed', 'started', 'stored', 'done', 'void', 'failed')),
  deadline REAL NOT NULL, hash TEXT, why TEXT NOT NULL DEFAULT '',
  CHECK(state NOT IN ('stored', 'done') OR hash IS NOT NULL)) STRICT;
CREATE UNIQUE INDEX one_a_station ON attempt(station) WHERE state IN ('claimed', 'started');
CREATE UNIQUE INDEX one_open ON attempt(block)
  WHERE state IN ('claimed', 'started', 'stored', 'done');
CREATE UNIQUE INDEX folder_once ON attempt(folder) WHERE state <> 'void';
CREATE INDEX waiting ON block(model, id) WHERE state = 'waiting';
CREATE TABLE control(
  id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempt, station TEXT NOT NULL,
  quantity TEXT NOT NULL, value REAL NOT NULL, verdict TEXT NOT NULL) STRICT;
CREATE INDEX of_station ON control(station, quantity, id);
CREATE TABLE event(
  seq INTEGER PRIMARY KEY, at REAL NOT NULL, attempt INTEGER, word TEXT NOT NULL,
  text TEXT NOT NULL) STRICT;
CREATE TRIGGER done_has_one BEFORE UPDATE OF state ON block WHEN NEW.state = 'done' AND NOT EXISTS
  (SELECT 1 FROM attempt WHERE block = NEW.id AND state = 'done')
  BEGIN SELECT RAISE(ABORT, 'a done block needs a done attempt'); END;
CREATE TRIGGER forward BEFORE UPDATE OF state ON attempt WHEN NOT (
  (OLD.state = 'claimed' AND NEW.state IN ('started', 'void', 'failed'))
  OR (OLD.state = 'started' AND NEW.state IN ('stored', 'void', 'failed'))
  OR (OLD.state = 'stored' AND NEW.state IN ('done', 'void'))
  OR (OLD.state = 'done' AND NEW.state = 'void'))
  BEGIN SELECT RAISE(ABORT, 'an attempt goes forward'); END;
