-- Cabinets, pools, contributions, claims, events, ledger rows and readings. Pools are in 1/1000 cent, the rest in cents.
CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
CREATE SCHEMA venue AUTHORIZATION venue_owner;
CREATE SCHEMA page AUTHORIZATION venue_page;
GRANT USAGE ON SCHEMA venue TO cabinets, enrolment, venue_page, venue_enroller;
-- What anyone may do otherwise, to everybody's harm: make large objects and write to the log of transactions, which fill
-- the disk; take advisory locks, whose room all sessions share and whose keys the migrations use; keep snapshots.
DO $$
DECLARE
    harmful regprocedure;
BEGIN
    FOR harmful IN
        SELECT p.oid FROM pg_proc p
        WHERE p.pronamespace = 'pg_catalog'::regnamespace
          AND (p.proname ~ '^pg_(try_)?advisory_'
               OR p.proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_put', 'pg_logical_emit_message',
                                'pg_export_snapshot'))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', harmful);
    END LOOP;
END $$;
-- Functions are nobody's until they are granted.
ALTER DEFAULT PRIVILEGES FOR ROLE venue_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE venue_enroller REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE venue_owner IN SCHEMA venue GRANT SELECT ON TABLES TO venue_page;
ALTER DEFAULT PRIVILEGES FOR ROLE venue_owner IN SCHEMA venue GRANT SELECT ON SEQUENCES TO venue_page;
SET LOCAL ROLE venue_owner;

CREATE FUNCTION venue.unchanged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is never changed: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = '55000';
END $$;

-- One row: what this venue is. Its identity is the same after a restore, and another one at every other venue.
CREATE TABLE venue.site (
    only_row bool PRIMARY KEY DEFAULT true CHECK (only_row),
    identity uuid NOT NULL DEFAULT gen_random_uuid(),
    name text NOT NULL,
    authority text NOT NULL DEFAULT '',
    timezone text NOT NULL DEFAULT 'Europe/Berlin',
    currency text NOT NULL DEFAULT 'EUR',
    made_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row: the PostgreSQL server that these books were last written on. A promoted standby and a point-in-time recovery
-- have another timeline, a new server that was given a copy has another system identifier. Two branches of one history
-- may have the same number: they are compared for equality, never ordered.
CREATE TABLE venue.cluster (
    only_row bool PRIMARY KEY DEFAULT true CHECK (only_row),
    system_identifier bigint NOT NULL,
    timeline int NOT NULL,
    since timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The timeline that is written; 55000 on a standby. The name of the newest file of the log has it from the first write after
-- a promotion on, pg_control_checkpoint() only after the checkpoint that follows.
CREATE FUNCTION venue.timeline() RETURNS int LANGUAGE sql AS $$
    SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int
$$;
INSERT INTO venue.cluster (system_identifier, timeline) SELECT s.system_identifier, venue.timeline() FROM pg_control_system() s;

-- Whether this is another server than these books were last written on: a promoted standby, or one that was set back. It may
-- lack what was answered. Not on a standby, where nothing is written. Not STABLE: its caller may have waited for a lock.
-- Every call asks: a function in a FROM clause would take half as long again.
CREATE FUNCTION venue.has_moved() RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
    known_identifier bigint;
    known_timeline int;
BEGIN
    IF pg_is_in_recovery() THEN
        RETURN false;
    END IF;
    SELECT c.system_identifier, c.timeline INTO known_identifier, known_timeline FROM venue.cluster c;
    RETURN coalesce(known_timeline <> venue.timeline() OR known_identifier <> (pg_control_system()).system_identifier, true);
END $$;

-- Keeps a table of the books as it is until the recovery of a moved venue has begun (venue.notice_move), whoever writes.
CREATE FUNCTION venue.not_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF venue.has_moved() THEN
        RAISE EXCEPTION 'the database server was promoted or set back: its recovery begins within seconds, try again then'
            USING ERRCODE = '55000';
    END IF;
    RETURN NULL;
END $$;

CREATE TABLE venue.cabinet (
    cabinet int PRIMARY KEY CHECK (cabinet > 0),
    role name NOT NULL UNIQUE,
    label text NOT NULL DEFAULT '',
    identity text,
    program text NOT NULL DEFAULT '',
    epoch int NOT NULL DEFAULT 0,
    session bigint NOT NULL DEFAULT 0,
    fresh_next bool NOT NULL DEFAULT false,
    begun_from int,
    retired bool NOT NULL DEFAULT false,
    distrusted bool NOT NULL DEFAULT false CHECK (retired OR NOT distrusted),
    enrolled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    hello_at timestamptz,
    info jsonb NOT NULL DEFAULT '{}'
);
COMMENT ON COLUMN venue.cabinet.distrusted IS 'retired by two people, as it is not trusted any more';
COMMENT ON COLUMN venue.cabinet.fresh_next IS 'the next hello begins a new epoch: enrolled anew, or rebased';
COMMENT ON COLUMN venue.cabinet.begun_from IS
    'the epoch of the hello that began this one; NULL once the cabinet has shown that it got the answer';

CREATE TABLE venue.replaced_identity (
    cabinet int NOT NULL REFERENCES venue.cabinet,
    identity text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (cabinet, identity)
);

CREATE TABLE venue.enrolment_code (
    code bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    login name NOT NULL,
    replaces int REFERENCES venue.cabinet,
    made_by text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    cabinet int REFERENCES venue.cabinet,
    used_at timestamptz
);
COMMENT ON COLUMN venue.enrolment_code.login IS 'the role that the code logs in as, which has the secret as its password';

CREATE TABLE venue.pool (
    pool int PRIMARY KEY,
    game text NOT NULL,
    coin int NOT NULL CHECK (coin > 0),
    unit bigint GENERATED ALWAYS AS (coin::bigint * 1000) STORED,
    seed bigint NOT NULL CHECK (seed > 0 AND seed % (coin::bigint * 1000) = 0),
    rate_per_mille int NOT NULL CHECK (rate_per_mille > 0),
    next_seed bigint CHECK (next_seed > 0 AND next_seed % (coin::bigint * 1000) = 0),
    next_rate_per_mille int CHECK (next_rate_per_mille > 0),
    base bigint NOT NULL DEFAULT 0,
    hits bigint NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'recovering', 'closed')),
    UNIQUE (game, coin)
);
COMMENT ON COLUMN venue.pool.base IS 'what claims and adjustments took: value = seed + sum of meters - base';
COMMENT ON COLUMN venue.pool.next_seed IS 'effective with the next hit; so is next_rate_per_mille';
CREATE TRIGGER not_moved BEFORE INSERT OR UPDATE ON venue.pool EXECUTE FUNCTION venue.not_moved();

-- The most that one cabinet contributes to a pool, in all its epochs: 100 million in whole currency. A sum near the end of
-- bigint would make the value of the pool fail, and with it every cabinet's beat.
CREATE FUNCTION venue.most_contributed() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 10000000000000; END';

CREATE TABLE venue.meter (
    pool int NOT NULL REFERENCES venue.pool,
    cabinet int NOT NULL REFERENCES venue.cabinet,
    epoch int NOT NULL,
    seq bigint NOT NULL CHECK (seq >= 0),
    cum bigint NOT NULL CHECK (cum BETWEEN 0 AND venue.most_contributed()),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (pool, cabinet, epoch)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

CREATE FUNCTION venue.meters_never_fall() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.cum >= OLD.cum AND NEW.seq >= OLD.seq
       AND (NEW.pool, NEW.cabinet, NEW.epoch) = (OLD.pool, OLD.cabinet, OLD.epoch) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the meter of cabinet % in pool % never falls: % refused', OLD.cabinet, OLD.pool, TG_OP
        USING ERRCODE = '22023';
END $$;
CREATE TRIGGER never_falls BEFORE UPDATE OR DELETE ON venue.meter
    FOR EACH ROW EXECUTE FUNCTION venue.meters_never_fall();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON venue.meter EXECUTE FUNCTION venue.unchanged();

-- What beats are answered with: at most a second old, so that a thousand cabinets do not sum the meters each.
CREATE TABLE venue.pool_value (
    pool int PRIMARY KEY REFERENCES venue.pool,
    amount bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 10);

CREATE TABLE venue.claim (
    cabinet int NOT NULL REFERENCES venue.cabinet,
    epoch int NOT NULL,
    round bigint NOT NULL,
    number int NOT NULL,
    pool int NOT NULL REFERENCES venue.pool,
    hit bigint NOT NULL CHECK (hit > 0),
    seed bigint NOT NULL,
    rate_per_mille int NOT NULL,
    award bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    given_back bool NOT NULL DEFAULT false,
    PRIMARY KEY (cabinet, epoch, round, number),
    UNIQUE (pool, hit),
    CONSTRAINT award_not_below_seed CHECK (award >= seed)
);
COMMENT ON COLUMN venue.claim.given_back IS 'answered by a venue that was lost, and handed back by the cabinet';
CREATE TRIGGER unchanged BEFORE UPDATE OR DELETE ON venue.claim FOR EACH ROW EXECUTE FUNCTION venue.unchanged();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON venue.claim EXECUTE FUNCTION venue.unchanged();
CREATE TRIGGER not_moved BEFORE INSERT ON venue.claim EXECUTE FUNCTION venue.not_moved();

-- Events in monthly partitions. `event_mark` holds the newest number of each epoch, whatever partitions are left.
CREATE TABLE venue.event_mark (
    cabinet int NOT NULL REFERENCES venue.cabinet,
    epoch int NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (cabinet, epoch)
) WITH (fillfactor = 50);
CREATE TABLE venue.event (
    cabinet int NOT NULL,
    epoch int NOT NULL,
    seq bigint NOT NULL,
    code text NOT NULL,
    body jsonb NOT NULL,
    said text[] NOT NULL DEFAULT '{}',
    cab_at timestamptz NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (cabinet, epoch, seq, at)
) PARTITION BY RANGE (at);
COMMENT ON COLUMN venue.event.said IS
    'the template of its words and the texts that fill it, by which the page finds what its reader reads in translation';
CREATE INDEX ON venue.event (at);
CREATE INDEX ON venue.event (code, at);
CREATE INDEX event_cabinet_at ON venue.event (cabinet, at);
-- Pieces of three letters; the page searches for longer ones by it.
CREATE INDEX event_text ON venue.event USING gin (lower(coalesce(body ->> 'text', body::text)) public.gin_trgm_ops);
CREATE INDEX event_said ON venue.event USING gin (said);

-- The chain of each cabinet's ledger. A branch is one history: it begins at row 0 or where a technician rebased it.
CREATE TABLE venue.chain (
    cabinet int NOT NULL REFERENCES venue.cabinet,
    branch int NOT NULL,
    base_row bigint NOT NULL DEFAULT 0,
    base_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    newest_row bigint NOT NULL DEFAULT 0,
    newest_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    seen_row bigint,
    seen_hash bytea,
    seen_at timestamptz,
    begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    begun_by text NOT NULL DEFAULT '',
    PRIMARY KEY (cabinet, branch)
) WITH (fillfactor = 50);
COMMENT ON COLUMN venue.chain.newest_row IS 'the newest row stored; seen_row may be higher, as a witness names a row alone';
CREATE TABLE venue.witness_mark (
    cabinet int NOT NULL,
    branch int NOT NULL,
    row bigint NOT NULL,
    hash bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (cabinet, branch, row),
    FOREIGN KEY (cabinet, branch) REFERENCES venue.chain
);
COMMENT ON TABLE venue.witness_mark IS 'witnessed heads whose ledger rows have not arrived yet';
CREATE TABLE venue.ledger_row (
    cabinet int NOT NULL,
    branch int NOT NULL,
    row bigint NOT NULL,
    hash bytea NOT NULL,
    body bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (cabinet, branch, row, at)
) PARTITION BY RANGE (at);
CREATE INDEX ON venue.ledger_row USING brin (at);

-- A cabinet's newest status, and its history where something changed.
CREATE TABLE venue.status (
    cabinet int PRIMARY KEY REFERENCES venue.cabinet,
    at timestamptz NOT NULL,
    session bigint NOT NULL,
    status jsonb NOT NULL,
    clock_off_ms bigint,
    kept_at timestamptz,
    kept bytea
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.05);
CREATE TABLE venue.status_history (
    cabinet int NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    status jsonb NOT NULL,
    PRIMARY KEY (cabinet, at)
) PARTITION BY RANGE (at);

-- Meter readings, and what was counted on each day: the differences between them.
CREATE TABLE venue.reading (
    cabinet int NOT NULL REFERENCES venue.cabinet,
    epoch int NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('hour', 'day', 'collection')),
    cab_at timestamptz NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    day date NOT NULL,
    baseline bool NOT NULL,
    redated bool NOT NULL,
    meters jsonb NOT NULL,
    games jsonb NOT NULL,
    PRIMARY KEY (cabinet, epoch, seq)
);
COMMENT ON COLUMN venue.reading.baseline IS 'the first of other books: counts nothing, what follows counts from it';
COMMENT ON COLUMN venue.reading.day IS 'the day it counts for: by the cabinet''s clock, or the first that is not closed';
COMMENT ON COLUMN venue.reading.redated IS 'the cabinet''s clock cannot be right: it counts for the day on which it arrived';
CREATE INDEX ON venue.reading (cabinet, day);
CREATE INDEX reading_redated ON venue.reading (day) WHERE redated;
CREATE TRIGGER unchanged BEFORE UPDATE OR DELETE ON venue.reading FOR EACH ROW EXECUTE FUNCTION venue.unchanged();
CREATE TABLE venue.newest_reading (
    cabinet int PRIMARY KEY REFERENCES venue.cabinet,
    epoch int NOT NULL,
    seq bigint NOT NULL,
    meters jsonb NOT NULL,
    games jsonb NOT NULL
);
CREATE TABLE venue.day_meter (
    day date NOT NULL,
    cabinet int NOT NULL REFERENCES venue.cabinet,
    meters jsonb NOT NULL,
    stakes bigint GENERATED ALWAYS AS (coalesce((meters ->> 'stakes')::bigint, 0)) STORED,
    wins bigint GENERATED ALWAYS AS (coalesce((meters ->> 'wins')::bigint, 0)) STORED,
    coins_in bigint GENERATED ALWAYS AS (coalesce((meters ->> 'coins_in')::bigint, 0)) STORED,
    notes_in bigint GENERATED ALWAYS AS (coalesce((meters ->> 'notes_in')::bigint, 0)) STORED,
    hopper_out bigint GENERATED ALWAYS AS (coalesce((meters ->> 'hopper_out')::bigint, 0)) STORED,
    hand_pay bigint GENERATED ALWAYS AS (coalesce((meters ->> 'hand_pay')::bigint, 0)) STORED,
    dropped bigint GENERATED ALWAYS AS (coalesce((meters ->> 'drop')::bigint, 0)) STORED,
    tickets_in bigint GENERATED ALWAYS AS (coalesce((meters ->> 'tickets_in')::bigint, 0)) STORED,
    tickets_out bigint GENERATED ALWAYS AS (coalesce((meters ->> 'tickets_out')::bigint, 0)) STORED,
    PRIMARY KEY (day, cabinet)
);
CREATE INDEX day_meter_cabinet ON venue.day_meter (cabinet, day);
CREATE TABLE venue.day_game (
    day date NOT NULL,
    cabinet int NOT NULL REFERENCES venue.cabinet,
    game text NOT NULL,
    rounds bigint NOT NULL,
    stakes bigint NOT NULL,
    wins bigint NOT NULL,
    PRIMARY KEY (day, cabinet, game)
);
CREATE INDEX day_game_cabinet ON venue.day_game (cabinet, day);

-- Every act of a person or of the venue itself.
CREATE TABLE venue.audit (
    entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    by text NOT NULL CHECK (by <> ''),
    act text NOT NULL,
    cabinet int,
    detail jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX ON venue.audit (at);
CREATE INDEX audit_by ON venue.audit (by, entry);
CREATE TRIGGER unchanged BEFORE UPDATE OR DELETE ON venue.audit FOR EACH ROW EXECUTE FUNCTION venue.unchanged();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON venue.audit EXECUTE FUNCTION venue.unchanged();
CREATE TRIGGER not_moved BEFORE INSERT ON venue.audit EXECUTE FUNCTION venue.not_moved();

-- Monthly partitions.
CREATE TABLE venue.retention (
    name text PRIMARY KEY,
    months int NOT NULL CHECK (months > 0)
);
INSERT INTO venue.retention (name, months) VALUES ('event', 24), ('ledger_row', 24), ('status_history', 3);
CREATE TABLE venue.event_rest PARTITION OF venue.event DEFAULT;
CREATE TABLE venue.ledger_row_rest PARTITION OF venue.ledger_row DEFAULT;
CREATE TABLE venue.status_history_rest PARTITION OF venue.status_history DEFAULT;

-- Creates the partitions of the months from p_day's on, and drops those older than their table's retention.
CREATE FUNCTION venue.arrange_partitions(p_day date, p_ahead int DEFAULT 3) RETURNS int LANGUAGE plpgsql
SET timezone = 'UTC' AS $$
DECLARE
    kept record;
    month date;
    part text;
    done int := 0;
BEGIN
    FOR kept IN SELECT * FROM venue.retention ORDER BY name LOOP
        FOR month IN SELECT generate_series(date_trunc('month', p_day), date_trunc('month', p_day)
                                            + make_interval(months => p_ahead), interval '1 month')::date LOOP
            part := kept.name || '_' || to_char(month, 'YYYYMM');
            CONTINUE WHEN to_regclass('venue.' || part) IS NOT NULL;
            EXECUTE format('CREATE TABLE venue.%I (LIKE venue.%I INCLUDING DEFAULTS)', part, kept.name);
            EXECUTE format('WITH gone AS (DELETE FROM venue.%I WHERE at >= %L AND at < %L RETURNING *)'
                           ' INSERT INTO venue.%I SELECT * FROM gone',
                           kept.name || '_rest', month, month + interval '1 month', part);
            EXECUTE format('ALTER TABLE venue.%I ATTACH PARTITION venue.%I FOR VALUES FROM (%L) TO (%L)',
                           kept.name, part, month, month + interval '1 month');
            EXECUTE format('GRANT SELECT ON venue.%I TO venue_page', part);
            done := done + 1;
        END LOOP;
        FOR part IN
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = ('venue.' || kept.name)::regclass AND c.relname ~ '_\d{6}$'
              AND right(c.relname, 6) < to_char(date_trunc('month', p_day) - make_interval(months => kept.months),
                                                'YYYYMM')
        LOOP
            EXECUTE format('DROP TABLE venue.%I', part);
            done := done + 1;
        END LOOP;
    END LOOP;
    RETURN done;
END $$;
SELECT venue.arrange_partitions(CURRENT_DATE, 2);
