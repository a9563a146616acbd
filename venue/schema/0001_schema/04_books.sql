-- What an enrolled cabinet may call (docs/venue-protocol.md): events, readings, the ledger and its witness.
SET LOCAL ROLE venue_owner;

CREATE FUNCTION venue.at_ms(p_ms jsonb) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF p_ms IS NULL OR jsonb_typeof(p_ms) <> 'number' OR (p_ms #>> '{}')::numeric NOT BETWEEN 0 AND 32503680000000 THEN
        RAISE EXCEPTION 'cab_at_ms is milliseconds since 1970, not %', p_ms USING ERRCODE = '22023';
    END IF;
    RETURN to_timestamp((p_ms #>> '{}')::numeric / 1000);
END $$;

-- What an event says in words that a reader's language may have of its own: its template and the texts that fill it, or
-- its whole text where it has no template.
CREATE FUNCTION venue.said(p_body jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN jsonb_typeof(p_body -> 'figures') = 'object' AND jsonb_typeof(p_body -> 'template') = 'string' THEN ARRAY(
            SELECT left(p_body ->> 'template', 500)
            UNION SELECT left(f.value #>> '{}', 500) FROM jsonb_each(p_body -> 'figures') f
            WHERE jsonb_typeof(f.value) = 'string')
        WHEN jsonb_typeof(p_body -> 'text') = 'string' THEN ARRAY[left(p_body ->> 'text', 500)]
        ELSE '{}' END
$$;

CREATE FUNCTION venue.events(p_session bigint, p_rows jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
    newest bigint;
    first bigint;
    last bigint;
BEGIN
    PERFORM venue.check_rows(c.cabinet, p_rows, 500, 4194304);
    INSERT INTO venue.event_mark (cabinet, epoch, seq) VALUES (c.cabinet, c.epoch, 0) ON CONFLICT DO NOTHING;
    SELECT m.seq INTO newest FROM venue.event_mark m WHERE m.cabinet = c.cabinet AND m.epoch = c.epoch FOR UPDATE;
    IF jsonb_array_length(p_rows) = 0 THEN
        RETURN newest;
    END IF;
    IF EXISTS (SELECT FROM jsonb_array_elements(p_rows) r
               WHERE coalesce(r ->> 'seq', '') !~ '^[0-9]{1,18}$' OR jsonb_typeof(r -> 'code') IS DISTINCT FROM 'string'
                  OR length(r ->> 'code') NOT BETWEEN 1 AND 100) THEN
        RAISE EXCEPTION 'events: each row has a seq, and a code of at most 100 letters' USING ERRCODE = '22023';
    END IF;
    SELECT min((r ->> 'seq')::bigint), max((r ->> 'seq')::bigint) INTO first, last FROM jsonb_array_elements(p_rows) r;
    IF first < 1 OR last - first + 1 <> (SELECT count(DISTINCT r ->> 'seq') FROM jsonb_array_elements(p_rows) r)
       OR (first > newest + 1 AND venue.recovering(c.cabinet) IS NULL) THEN
        PERFORM venue.refuse(c.cabinet, 'call', '22023',
                             format('events %s to %s: a gap, the venue has up to %s', first, last, newest));
    ELSIF first > newest + 1 THEN
        -- What the lost venue had and the cabinet no longer keeps.
        INSERT INTO venue.audit (by, act, cabinet, detail)
        VALUES ('venue', 'events lost', c.cabinet, jsonb_build_object('epoch', c.epoch, 'from', newest + 1, 'to', first - 1));
    END IF;
    WITH fresh AS (
        INSERT INTO venue.event (cabinet, epoch, seq, code, body, cab_at, said)
        SELECT DISTINCT ON (1, 2, 3) c.cabinet, c.epoch, (r ->> 'seq')::bigint, r ->> 'code', coalesce(r -> 'body', '{}'),
               venue.at_ms(r -> 'cab_at_ms'), venue.said(r -> 'body')
        FROM jsonb_array_elements(p_rows) r WHERE (r ->> 'seq')::bigint > newest
        RETURNING *
    )
    SELECT count(venue.raise_alarm(f.code, f.cabinet, format('event %s %s %s', f.cabinet, f.epoch, f.seq), f.body))
    INTO first
    FROM fresh f JOIN venue.alarm_rule a ON a.code = f.code AND a.source = 'event' AND a.enabled;
    -- These rows were stored since the call began: one partition is looked through.
    PERFORM venue.judge_opening(e) FROM (
        SELECT * FROM venue.event x
        WHERE x.at >= now() AND x.cabinet = c.cabinet AND x.epoch = c.epoch AND x.seq > newest AND x.code = 'door_open'
        ORDER BY x.seq) e
    WHERE p_rows @> '[{"code": "door_open"}]';
    UPDATE venue.event_mark m SET seq = greatest(newest, last) WHERE m.cabinet = c.cabinet AND m.epoch = c.epoch;
    RETURN greatest(newest, last);
END $$;

-- The sum of two objects of figures, key by key.
CREATE FUNCTION venue.add_figures(p_a jsonb, p_b jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(key, total), '{}') FROM (
        SELECT key, sum(value::bigint) AS total
        FROM (SELECT * FROM jsonb_each_text(p_a) UNION ALL SELECT * FROM jsonb_each_text(p_b)) x GROUP BY key) y
$$;
-- p_b less p_a, key by key; a key that only one of them has counts as 0 in the other.
CREATE FUNCTION venue.less_figures(p_b jsonb, p_a jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(key, total), '{}') FROM (
        SELECT key, sum(amount) AS total
        FROM (SELECT key, value::bigint AS amount FROM jsonb_each_text(p_b)
              UNION ALL SELECT key, -value::bigint FROM jsonb_each_text(p_a)) x GROUP BY key) y
$$;
-- Whether it is an object of whole numbers that no meter exceeds: 100 billion in whole currency. Sums over all cabinets and
-- years stay within bigint.
CREATE FUNCTION venue.are_figures(p_figures jsonb) RETURNS bool LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_typeof(p_figures) = 'object' AND NOT EXISTS (
        SELECT FROM jsonb_each(CASE jsonb_typeof(p_figures) WHEN 'object' THEN p_figures ELSE '{}' END) f
        WHERE length(f.key) > 100 OR venue.whole_number(f.value, 10000000000000) IS NULL
           OR (f.value #>> '{}')::numeric % 1 <> 0)
$$;
CREATE FUNCTION venue.falls(p_before jsonb, p_after jsonb) RETURNS bool LANGUAGE sql IMMUTABLE AS $$
    SELECT EXISTS (SELECT FROM jsonb_each_text(venue.less_figures(p_after, p_before)) WHERE value::bigint < 0)
$$;

CREATE TABLE venue.month_close (
    month date PRIMARY KEY CHECK (month = date_trunc('month', month)),
    closed_by text NOT NULL,
    closed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    sha256 bytea NOT NULL
);
CREATE TABLE venue.collection (
    collection bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cabinet int NOT NULL,
    epoch int NOT NULL,
    seq bigint NOT NULL,
    day date NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    drop_cents bigint NOT NULL,
    coins_cents bigint NOT NULL,
    notes_cents bigint NOT NULL,
    UNIQUE (cabinet, epoch, seq)
);
COMMENT ON TABLE venue.collection IS 'a cash box taken out: what the meters say dropped since the collection before';
CREATE INDEX collection_day ON venue.collection (day);
CREATE INDEX collection_cabinet ON venue.collection (cabinet, collection);
CREATE TABLE venue.collected (
    cabinet int PRIMARY KEY REFERENCES venue.cabinet,
    meters jsonb NOT NULL
);
COMMENT ON TABLE venue.collected IS 'what the meters have counted since the last collection';
-- Notes that a recycler stores are not in the cash box that is collected; those that it moved there are.
CREATE FUNCTION venue.without_stored_notes() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    stored bigint;
BEGIN
    SELECT coalesce((k.meters ->> 'notes_stored')::bigint, 0) - coalesce((k.meters ->> 'notes_unstored')::bigint, 0)
    INTO stored FROM venue.collected k WHERE k.cabinet = NEW.cabinet;
    NEW.notes_cents := NEW.notes_cents - coalesce(stored, 0);
    NEW.coins_cents := NEW.coins_cents + coalesce(stored, 0);
    RETURN NEW;
END $$;
COMMENT ON FUNCTION venue.without_stored_notes IS 'the drop is without them already: here it is divided into coins and notes';
CREATE TRIGGER without_stored_notes BEFORE INSERT ON venue.collection
    FOR EACH ROW EXECUTE FUNCTION venue.without_stored_notes();

-- The day that figures of p_at count for: its own, or the first day after the newest closed month.
CREATE FUNCTION venue.open_day(p_at timestamptz) RETURNS date LANGUAGE sql STABLE AS $$
    SELECT greatest((p_at AT TIME ZONE coalesce((SELECT timezone FROM venue.site), 'UTC'))::date,
                    (SELECT (max(month) + interval '1 month')::date FROM venue.month_close))
$$;

-- The day that what a cabinet dates counts for: its own, or that of its arrival where the cabinet's clock cannot be right:
-- more than an hour ahead of the venue's, or before the cabinet was enrolled.
CREATE FUNCTION venue.day_of(p_cabinet int, p_at timestamptz, OUT day date, OUT redated bool) LANGUAGE sql STABLE AS $$
    SELECT venue.open_day(CASE WHEN x.is_believed THEN p_at ELSE clock_timestamp() END), NOT x.is_believed
    FROM (SELECT p_at BETWEEN k.enrolled_at - interval '1 day' AND clock_timestamp() + interval '1 hour' AS is_believed
          FROM venue.cabinet k WHERE k.cabinet = p_cabinet) x
$$;

CREATE FUNCTION venue.meters(p_session bigint, p_rows jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
#variable_conflict use_column
DECLARE
    c venue.cabinet := venue.caller(p_session);
    last venue.newest_reading;
    r record;
    base bool;
    own record;
    counted jsonb;
    played record;
    before jsonb;
BEGIN
    PERFORM venue.check_rows(c.cabinet, p_rows, 500, 4194304);
    -- The lock of `close_month`: a month is closed before this call's days are decided, or after they are counted.
    LOCK TABLE venue.day_meter IN ROW EXCLUSIVE MODE;
    SELECT * INTO last FROM venue.newest_reading n WHERE n.cabinet = c.cabinet FOR UPDATE;
    FOR r IN
        SELECT (x ->> 'seq')::bigint AS seq, x ->> 'kind' AS kind, venue.at_ms(x -> 'cab_at_ms') AS cab_at,
               coalesce(x -> 'meters', '{}') AS meters, coalesce(x -> 'games', '{}') AS games
        FROM jsonb_array_elements(p_rows) x ORDER BY 1
    LOOP
        IF r.seq IS NULL OR r.kind NOT IN ('hour', 'day', 'collection') OR r.kind IS NULL
           OR NOT venue.are_figures(r.meters) OR jsonb_typeof(r.games) <> 'object'
           OR EXISTS (SELECT FROM jsonb_each(r.games) g WHERE length(g.key) > 100 OR NOT venue.are_figures(g.value)) THEN
            RAISE EXCEPTION 'meters: seq, kind (hour, day or collection), and meters and games in whole figures are needed'
                USING ERRCODE = '22023';
        END IF;
        CONTINUE WHEN last.epoch = c.epoch AND last.seq >= r.seq;
        base := last.cabinet IS NULL OR (last.epoch <> c.epoch AND venue.falls(last.meters, r.meters));
        IF NOT base AND venue.falls(last.meters, r.meters) THEN
            PERFORM venue.refuse(c.cabinet, 'call', '22023',
                                 format('meters: reading %s is lower than reading %s', r.seq, last.seq));
        END IF;
        SELECT d.day, d.redated INTO own FROM venue.day_of(c.cabinet, r.cab_at) d;
        INSERT INTO venue.reading (cabinet, epoch, seq, kind, cab_at, day, baseline, redated, meters, games)
        VALUES (c.cabinet, c.epoch, r.seq, r.kind, r.cab_at, own.day, base, own.redated, r.meters, r.games);
        IF own.redated THEN
            PERFORM venue.raise_alarm('reading_dated', c.cabinet, format('reading_dated %s %s', c.cabinet, own.day),
                                      jsonb_build_object('cab_at', r.cab_at, 'day', own.day));
        END IF;
        counted := CASE WHEN base THEN '{}' ELSE venue.less_figures(r.meters, last.meters) END;
        IF NOT base THEN
            INSERT INTO venue.day_meter AS d (day, cabinet, meters)
            VALUES (own.day, c.cabinet, counted)
            ON CONFLICT (day, cabinet) DO UPDATE SET meters = venue.add_figures(d.meters, EXCLUDED.meters);
            FOR played IN SELECT key, value FROM jsonb_each(r.games) LOOP
                before := coalesce(last.games -> played.key, '{}');
                IF venue.falls(before, played.value) THEN
                    PERFORM venue.refuse(c.cabinet, 'call', '22023',
                                         format('meters: %s is lower in reading %s', played.key, r.seq));
                END IF;
                INSERT INTO venue.day_game AS d (day, cabinet, game, rounds, stakes, wins)
                VALUES (own.day, c.cabinet, played.key,
                        (played.value ->> 'rounds')::bigint - coalesce((before ->> 'rounds')::bigint, 0),
                        (played.value ->> 'stakes')::bigint - coalesce((before ->> 'stakes')::bigint, 0),
                        (played.value ->> 'wins')::bigint - coalesce((before ->> 'wins')::bigint, 0))
                ON CONFLICT (day, cabinet, game) DO UPDATE
                SET rounds = d.rounds + EXCLUDED.rounds, stakes = d.stakes + EXCLUDED.stakes, wins = d.wins + EXCLUDED.wins;
            END LOOP;
        END IF;
        INSERT INTO venue.collected AS k (cabinet, meters) VALUES (c.cabinet, counted)
        ON CONFLICT (cabinet) DO UPDATE SET meters = venue.add_figures(k.meters, EXCLUDED.meters)
        RETURNING k.meters INTO counted;
        IF r.kind = 'collection' THEN
            INSERT INTO venue.collection (cabinet, epoch, seq, day, drop_cents, notes_cents, coins_cents)
            VALUES (c.cabinet, c.epoch, r.seq, own.day, coalesce((counted ->> 'drop')::bigint, 0),
                    coalesce((counted ->> 'notes_in')::bigint, 0),
                    coalesce((counted ->> 'drop')::bigint, 0) - coalesce((counted ->> 'notes_in')::bigint, 0));
            UPDATE venue.collected k SET meters = '{}' WHERE k.cabinet = c.cabinet;
        END IF;
        INSERT INTO venue.newest_reading (cabinet, epoch, seq, meters, games)
        VALUES (c.cabinet, c.epoch, r.seq, r.meters, r.games)
        ON CONFLICT (cabinet) DO UPDATE
        SET epoch = EXCLUDED.epoch, seq = EXCLUDED.seq, meters = EXCLUDED.meters, games = EXCLUDED.games
        RETURNING * INTO last;
    END LOOP;
END $$;

-- The newest branch of a cabinet's chain, locked.
CREATE FUNCTION venue.chain_of(p_cabinet int) RETURNS venue.chain LANGUAGE sql AS $$
    SELECT * FROM venue.chain h WHERE h.cabinet = p_cabinet ORDER BY h.branch DESC LIMIT 1 FOR UPDATE
$$;

CREATE FUNCTION venue.ledger(p_session bigint, p_rows jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
    h venue.chain := venue.chain_of(c.cabinet);
    r record;
    before bigint;
    seen bytea;
    bodies bytea[] := '{}';
    hashes bytea[] := '{}';
    first bigint := h.newest_row + 1;
BEGIN
    PERFORM venue.check_rows(c.cabinet, p_rows, 500, 8388608);
    FOR r IN
        SELECT (x ->> 'row')::bigint AS row, decode(x ->> 'body', 'hex') AS body, decode(x ->> 'hash', 'hex') AS hash
        FROM jsonb_array_elements(p_rows) WITH ORDINALITY e(x, n) ORDER BY n
    LOOP
        IF r.row IS NULL OR r.body IS NULL OR r.hash IS NULL OR r.row < 1 OR r.row <= before THEN
            RAISE EXCEPTION 'ledger: row, body and hash in hex, in order, are needed' USING ERRCODE = '22023';
        END IF;
        before := r.row;
        IF r.row <= h.newest_row THEN
            SELECT l.hash INTO seen FROM venue.ledger_row l
            WHERE l.cabinet = c.cabinet AND l.branch = h.branch AND l.row = r.row;
            IF seen IS NOT NULL AND seen <> r.hash THEN
                PERFORM venue.refuse(c.cabinet, 'chain', '22023', format('ledger row %s is another than the venue has', r.row));
            END IF;
            CONTINUE;
        ELSIF r.row <> h.newest_row + 1 THEN
            PERFORM venue.refuse(c.cabinet, 'chain', '22023',
                                 format('ledger row %s: a gap, the venue has up to %s', r.row, h.newest_row));
        ELSIF sha256(h.newest_hash || r.body) <> r.hash THEN
            PERFORM venue.refuse(c.cabinet, 'chain', '22023', format('ledger row %s does not follow row %s', r.row, h.newest_row));
        END IF;
        SELECT w.hash INTO seen FROM venue.witness_mark w
        WHERE w.cabinet = c.cabinet AND w.branch = h.branch AND w.row = r.row;
        IF FOUND AND seen <> r.hash THEN
            PERFORM venue.refuse(c.cabinet, 'chain', '22023', format('ledger row %s is another than was witnessed', r.row));
        END IF;
        h.newest_row := r.row;
        h.newest_hash := r.hash;
        bodies := bodies || r.body;
        hashes := hashes || r.hash;
    END LOOP;
    IF h.newest_row >= first THEN
        INSERT INTO venue.ledger_row (cabinet, branch, row, body, hash)
        SELECT c.cabinet, h.branch, first + n - 1, b, d FROM unnest(bodies, hashes) WITH ORDINALITY u(b, d, n);
        DELETE FROM venue.witness_mark w WHERE w.cabinet = c.cabinet AND w.branch = h.branch AND w.row <= h.newest_row;
        UPDATE venue.chain x
        SET newest_row = h.newest_row, newest_hash = h.newest_hash, seen_at = clock_timestamp(),
            seen_row = CASE WHEN h.newest_row >= coalesce(x.seen_row, 0) THEN h.newest_row ELSE x.seen_row END,
            seen_hash = CASE WHEN h.newest_row >= coalesce(x.seen_row, 0) THEN h.newest_hash ELSE x.seen_hash END
        WHERE x.cabinet = c.cabinet AND x.branch = h.branch;
    END IF;
    RETURN h.newest_row;
END $$;

CREATE FUNCTION venue.witness(p_session bigint, p_row bigint, p_hash bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
    h venue.chain := venue.chain_of(c.cabinet);
    answer text := 'ok';
BEGIN
    IF p_row IS NULL OR p_row < 0 OR octet_length(p_hash) IS DISTINCT FROM 32 THEN
        RAISE EXCEPTION 'witness: a row and its hash of 32 bytes' USING ERRCODE = '22023';
    END IF;
    IF h.seen_row IS NULL OR p_row > h.seen_row THEN
        UPDATE venue.chain x SET seen_row = p_row, seen_hash = p_hash, seen_at = clock_timestamp()
        WHERE x.cabinet = c.cabinet AND x.branch = h.branch;
        IF p_row > h.newest_row THEN
            PERFORM venue.take_in(c.cabinet, 200);
            INSERT INTO venue.witness_mark (cabinet, branch, row, hash) VALUES (c.cabinet, h.branch, p_row, p_hash);
        END IF;
    ELSIF p_row < h.seen_row THEN
        answer := 'behind';
    ELSIF p_hash <> h.seen_hash THEN
        answer := 'beside';
    END IF;
    IF answer <> 'ok' THEN
        PERFORM venue.raise_alarm('witness_' || answer, c.cabinet, format('witness %s %s', c.cabinet, h.branch),
                                  jsonb_build_object('row', p_row, 'seen', h.seen_row, 'answer', answer));
    END IF;
    RETURN answer;
END $$;

CREATE FUNCTION venue.rebase(p_session bigint, p_row bigint, p_hash bytea, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
    h venue.chain := venue.chain_of(c.cabinet);
BEGIN
    IF p_row IS NULL OR p_row < 0 OR octet_length(p_hash) IS DISTINCT FROM 32
       OR coalesce(length(p_by), 0) NOT BETWEEN 1 AND 200 THEN
        RAISE EXCEPTION 'rebase: a row, its hash of 32 bytes and a name of at most 200 letters' USING ERRCODE = '22023';
    END IF;
    PERFORM venue.take_in(c.cabinet, 1000);
    INSERT INTO venue.chain (cabinet, branch, base_row, base_hash, newest_row, newest_hash, seen_row, seen_hash, seen_at, begun_by)
    VALUES (c.cabinet, h.branch + 1, p_row, p_hash, p_row, p_hash, p_row, p_hash, clock_timestamp(), p_by);
    UPDATE venue.cabinet k SET fresh_next = true WHERE k.cabinet = c.cabinet;
    INSERT INTO venue.audit (by, act, cabinet, detail)
    VALUES ('technician ' || p_by, 'rebased', c.cabinet,
            jsonb_build_object('branch', h.branch + 1, 'row', p_row, 'seen', h.seen_row));
    PERFORM venue.raise_alarm('rebased', c.cabinet, format('rebased %s %s', c.cabinet, h.branch + 1),
                              jsonb_build_object('by', p_by, 'row', p_row, 'seen', h.seen_row));
END $$;

GRANT EXECUTE ON FUNCTION venue.events, venue.meters, venue.ledger, venue.witness, venue.rebase TO cabinets;
