-- What an enrolled cabinet may call (docs/venue-protocol.md): sessions, contributions and claims.
SET LOCAL ROLE venue_owner;

-- Counts a refused call and refuses it. The count survives, since a sequence is not rolled back with the call.
CREATE FUNCTION venue.refuse(p_cabinet int, p_kind text, p_state text, p_words text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM nextval(format('venue.%s_refused_%s', p_kind, p_cabinet)::regclass);
    RAISE EXCEPTION '%', p_words USING ERRCODE = p_state;
END $$;

-- Two counters of each cabinet: calls refused, and ledger rows that do not follow the chain.
CREATE FUNCTION venue.make_counters() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    EXECUTE format('CREATE SEQUENCE venue.call_refused_%s MINVALUE 0 START 0', NEW.cabinet);
    EXECUTE format('CREATE SEQUENCE venue.chain_refused_%s MINVALUE 0 START 0', NEW.cabinet);
    EXECUTE format('SELECT nextval(%L), nextval(%L)', 'venue.call_refused_' || NEW.cabinet,
                   'venue.chain_refused_' || NEW.cabinet);
    INSERT INTO venue.chain (cabinet, branch) VALUES (NEW.cabinet, 1);
    RETURN NULL;
END $$;
CREATE TRIGGER make_counters AFTER INSERT ON venue.cabinet FOR EACH ROW EXECUTE FUNCTION venue.make_counters();

-- The cabinet that calls in this session. Locks its row against a newer hello until the call ends.
CREATE FUNCTION venue.caller(p_session bigint) RETURNS venue.cabinet LANGUAGE plpgsql AS $$
DECLARE
    c venue.cabinet;
BEGIN
    -- Before any lock, since a recovery locks every pool.
    IF venue.has_moved() THEN
        PERFORM venue.notice_move();
    END IF;
    -- Before the lock that calls share: two that both had it would wait for each other to make this change.
    UPDATE venue.cabinet k SET begun_from = NULL
    WHERE k.role = session_user AND k.session = p_session AND k.begun_from IS NOT NULL AND NOT k.retired;
    SELECT * INTO c FROM venue.cabinet k WHERE k.role = session_user FOR SHARE;
    IF c.cabinet IS NULL THEN
        RAISE EXCEPTION 'not enrolled: enrol this cabinet with a code of the page' USING ERRCODE = '28000';
    ELSIF c.retired THEN
        PERFORM venue.refuse(c.cabinet, 'call', '28000', 'cabinet ' || c.cabinet || ' is retired');
    ELSIF c.session IS DISTINCT FROM p_session OR p_session = 0 THEN
        PERFORM venue.refuse(c.cabinet, 'call', '28000', 'fenced: a newer session holds cabinet ' || c.cabinet);
    END IF;
    RETURN c;
END $$;

-- What a cabinet has had stored today, so that one that was broken open does not fill the disk for all.
CREATE TABLE venue.intake (
    cabinet int PRIMARY KEY REFERENCES venue.cabinet,
    day date NOT NULL,
    bytes bigint NOT NULL
) WITH (fillfactor = 50);
-- The most that a cabinet stores in a day (UTC): 4 GiB, a hundred times what one that plays without a pause sends, or all
-- that it has kept for months.
CREATE FUNCTION venue.most_a_day() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 4294967296; END';
-- Counts what is about to be stored for a cabinet; 53400 where it is more than venue.most_a_day.
CREATE FUNCTION venue.take_in(p_cabinet int, p_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    total bigint;
BEGIN
    INSERT INTO venue.intake AS i (cabinet, day, bytes)
    VALUES (p_cabinet, (clock_timestamp() AT TIME ZONE 'UTC')::date, p_bytes)
    ON CONFLICT (cabinet) DO UPDATE
    SET day = EXCLUDED.day, bytes = CASE WHEN i.day = EXCLUDED.day THEN i.bytes ELSE 0 END + EXCLUDED.bytes
    RETURNING i.bytes INTO total;
    IF total > venue.most_a_day() THEN
        PERFORM venue.refuse(p_cabinet, 'call', '53400', format('cabinet %s has sent more than any cabinet sends in a day: '
                             'nothing more is stored before tomorrow', p_cabinet));
    END IF;
END $$;

-- Raises 22023 unless p_rows is an array of at most p_most objects and p_bytes, and counts them.
CREATE FUNCTION venue.check_rows(p_cabinet int, p_rows jsonb, p_most int, p_bytes int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    bytes int := octet_length(p_rows::text);
BEGIN
    IF p_rows IS NULL OR jsonb_typeof(p_rows) <> 'array' THEN
        RAISE EXCEPTION 'a JSON array is expected' USING ERRCODE = '22023';
    ELSIF jsonb_array_length(p_rows) > p_most THEN
        RAISE EXCEPTION '% rows, at most % are taken', jsonb_array_length(p_rows), p_most USING ERRCODE = '22023';
    ELSIF bytes > p_bytes THEN
        RAISE EXCEPTION '% bytes, at most % are taken', bytes, p_bytes USING ERRCODE = '22023';
    ELSIF jsonb_array_length(p_rows) > 0 THEN
        PERFORM venue.take_in(p_cabinet, bytes);
    END IF;
END $$;

-- The newest recovery, open or over, that this cabinet owes a report; NULL for none.
CREATE FUNCTION venue.recovering(p_cabinet int) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT max(d.recovery) FROM venue.recovery_cabinet d
    WHERE d.cabinet = p_cabinet AND NOT EXISTS (
        SELECT FROM venue.recovery_report p WHERE p.recovery = d.recovery AND p.cabinet = p_cabinet AND p.seqs IS NOT NULL)
$$;

-- Begins a recovery: pools refuse claims and take no rounds until they are opened, and every cabinet owes a report. One
-- that is open already goes on; with p_anew all report again, since the venue was set back once more. p_word_of is the
-- cabinet that says so, where no person does.
CREATE FUNCTION venue.begin_recovery(p_reason text, p_by text, p_anew bool DEFAULT true, p_word_of int DEFAULT NULL)
RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    number int;
BEGIN
    IF venue.has_moved() THEN
        INSERT INTO venue.cluster AS c (system_identifier, timeline)
        SELECT s.system_identifier, venue.timeline() FROM pg_control_system() s
        ON CONFLICT (only_row) DO UPDATE
        SET system_identifier = EXCLUDED.system_identifier, timeline = EXCLUDED.timeline, since = clock_timestamp();
    END IF;
    INSERT INTO venue.recovery (reason, began_by, word_of) VALUES (p_reason, p_by, p_word_of)
    ON CONFLICT DO NOTHING RETURNING recovery INTO number;
    IF number IS NULL THEN
        SELECT recovery INTO number FROM venue.recovery WHERE opened_at IS NULL FOR UPDATE;
        UPDATE venue.recovery SET word_of = NULL WHERE recovery = number AND word_of IS DISTINCT FROM p_word_of;
        IF NOT p_anew THEN
            RETURN number;
        END IF;
        -- Books that were not whole when this copy of the recovery was made are in doubt still, whatever epoch they are in.
        UPDATE venue.recovery_cabinet d SET epoch = k.epoch, retired = k.retired
        FROM venue.cabinet k, venue.recovery_report p
        WHERE d.recovery = number AND k.cabinet = d.cabinet AND p.recovery = number AND p.cabinet = d.cabinet AND p.whole;
        INSERT INTO venue.recovery_cabinet (recovery, cabinet, retired)
        SELECT number, k.cabinet, false FROM venue.cabinet k ON CONFLICT DO NOTHING;
        DELETE FROM venue.recovery_report WHERE recovery = number;
        UPDATE venue.recovery SET reason = p_reason, began_by = p_by, began_at = clock_timestamp() WHERE recovery = number;
    END IF;
    UPDATE venue.pool SET state = 'recovering' WHERE state = 'open';
    INSERT INTO venue.recovery_cabinet (recovery, cabinet, epoch, retired)
    SELECT number, k.cabinet, k.epoch, k.retired FROM venue.cabinet k ON CONFLICT DO NOTHING;
    INSERT INTO venue.recovery_pool (recovery, pool, hits, seed, next_seed)
    SELECT number, q.pool, q.hits, q.seed, q.next_seed FROM venue.pool q ON CONFLICT DO NOTHING;
    INSERT INTO venue.audit (by, act, detail)
    VALUES (p_by, 'recovery begun', jsonb_build_object('recovery', number, 'reason', p_reason));
    RETURN number;
END $$;

-- Begins a recovery where venue.has_moved, once: of those that notice it together, the others wait for it.
CREATE FUNCTION venue.notice_move() RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    IF venue.has_moved() THEN
        LOCK TABLE venue.cluster IN SHARE ROW EXCLUSIVE MODE;
        IF venue.has_moved() THEN
            PERFORM venue.begin_recovery('the database server was promoted or set back', 'venue');
        END IF;
    END IF;
END $$;

CREATE FUNCTION venue.hello(
    p_epoch int, p_seqs jsonb, p_evseq bigint, p_identity text, p_info jsonb,
    OUT epoch int, OUT session bigint, OUT fresh bool, OUT cabinet int, OUT witness_row bigint, OUT witness_hash bytea,
    OUT site text, OUT report_due bool
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet;
    ahead bool;
    again bool;
    why text;
BEGIN
    PERFORM venue.notice_move();
    SELECT * INTO c FROM venue.cabinet k WHERE k.role = session_user FOR UPDATE;
    IF c.cabinet IS NULL THEN
        RAISE EXCEPTION 'not enrolled: enrol this cabinet with a code of the page' USING ERRCODE = '28000';
    ELSIF c.retired THEN
        PERFORM venue.refuse(c.cabinet, 'call', '28000', 'cabinet ' || c.cabinet || ' is retired');
    ELSIF c.identity IS DISTINCT FROM p_identity AND EXISTS (
        SELECT FROM venue.replaced_identity r WHERE r.cabinet = c.cabinet AND r.identity = p_identity) THEN
        PERFORM venue.refuse(c.cabinet, 'call', '28000', 'cabinet ' || c.cabinet || ' was replaced by another card');
    END IF;
    IF p_identity !~ '^[0-9a-f]{64}$' OR p_epoch < 0 OR p_evseq < 0
       OR (p_seqs IS NOT NULL AND jsonb_typeof(p_seqs) <> 'object')
       OR octet_length(p_info::text) > 32768 OR octet_length(p_seqs::text) > 32768 THEN
        RAISE EXCEPTION 'hello: identity, epoch, seqs or info is not what the protocol says' USING ERRCODE = '22023';
    END IF;
    -- An epoch that this venue never gave: it was restored from a backup older than that epoch. No backup is ten epochs
    -- old, each of which is an alarm. A card of another venue, or that the backup lacks, may have had some hundred.
    ahead := p_epoch > c.epoch AND c.epoch > 0 AND NOT c.fresh_next AND c.identity = p_identity;
    IF p_epoch > c.epoch + (CASE WHEN ahead THEN 10 ELSE 1000 END) THEN
        PERFORM venue.refuse(c.cabinet, 'call', '22023', format('cabinet %s says epoch %s, the venue has given it %s: enrol '
                             'the cabinet again', c.cabinet, p_epoch, c.epoch));
    END IF;
    IF ahead THEN
        -- One that has reported to an open recovery and is ahead again: the venue was set back a second time.
        PERFORM venue.begin_recovery(format('cabinet %s is in epoch %s, the venue has %s', c.cabinet, p_epoch, c.epoch),
                                     'venue', venue.recovering(c.cabinet) IS NULL, c.cabinet);
    END IF;
    -- A cabinet that the backup lacks, enrolled again: it gives back what it has from before.
    INSERT INTO venue.recovery_cabinet (recovery, cabinet, retired)
    SELECT r.recovery, c.cabinet, false FROM venue.recovery r
    WHERE (r.opened_at IS NULL OR (c.epoch = 0 AND p_epoch > 0))
      AND r.recovery = (SELECT max(x.recovery) FROM venue.recovery x)
    ON CONFLICT DO NOTHING;
    report_due := venue.recovering(c.cabinet) IS NOT NULL;
    -- The hello that began this epoch, again: its answer was lost, since nobody has called in the epoch. A venue that was
    -- restored may have lost such calls.
    again := coalesce(c.begun_from = p_epoch AND c.identity = p_identity AND NOT c.fresh_next, false)
             AND NOT report_due AND NOT EXISTS (SELECT FROM venue.recovery r WHERE r.opened_at IS NULL);
    why := CASE
        WHEN again THEN NULL
        WHEN c.epoch = 0 THEN 'first session'
        WHEN c.fresh_next THEN 'enrolled anew or rebased'
        WHEN c.identity IS DISTINCT FROM p_identity THEN 'another identity'
        WHEN ahead THEN NULL
        WHEN p_epoch IS DISTINCT FROM c.epoch THEN 'another epoch'
        WHEN EXISTS (SELECT FROM venue.meter m WHERE m.cabinet = c.cabinet AND m.epoch = c.epoch
                     AND m.seq > coalesce((p_seqs ->> m.pool::text)::bigint, -1)) THEN 'older contributions'
        WHEN coalesce((SELECT e.seq FROM venue.event_mark e WHERE e.cabinet = c.cabinet AND e.epoch = c.epoch), 0)
             > coalesce(p_evseq, 0) THEN 'older events'
    END;
    fresh := again OR why IS NOT NULL;
    epoch := greatest(c.epoch, coalesce(p_epoch, 0)) + CASE WHEN why IS NULL THEN 0 ELSE 1 END;
    session := c.session + 1;
    cabinet := c.cabinet;
    UPDATE venue.cabinet k
    SET epoch = hello.epoch, session = hello.session, identity = p_identity, fresh_next = false,
        begun_from = CASE WHEN fresh THEN p_epoch END, hello_at = clock_timestamp(), info = coalesce(p_info, '{}'),
        program = CASE jsonb_typeof(p_info -> 'program') WHEN 'string' THEN left(p_info ->> 'program', 60) ELSE k.program END
    WHERE k.cabinet = c.cabinet;
    IF why IS NOT NULL AND c.epoch > 0 AND NOT c.fresh_next THEN
        PERFORM venue.take_in(c.cabinet, 1000);
        INSERT INTO venue.audit (by, act, cabinet, detail)
        VALUES ('venue', 'new epoch', c.cabinet, jsonb_build_object('epoch', epoch, 'before', p_epoch, 'why', why));
        PERFORM venue.raise_alarm(CASE why WHEN 'another identity' THEN 'other_identity' ELSE 'fresh_epoch' END,
                                  c.cabinet, format('epoch %s %s', c.cabinet, epoch),
                                  jsonb_build_object('epoch', epoch, 'before', p_epoch, 'why', why));
    END IF;
    SELECT h.seen_row, h.seen_hash INTO witness_row, witness_hash
    FROM venue.chain h WHERE h.cabinet = c.cabinet ORDER BY h.branch DESC LIMIT 1;
    SELECT t.identity::text INTO site FROM venue.site t;
END $$;

-- Stores cumulative contributions of one epoch, the cabinet's present one or an earlier one; the newest of each pool stays.
CREATE FUNCTION venue.put_meters(p_cabinet int, p_present int, p_epoch int, p_pool int[], p_seq bigint[], p_cum bigint[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    amiss record;
BEGIN
    IF p_epoch > p_present OR p_epoch < 1 THEN
        PERFORM venue.refuse(p_cabinet, 'call', '22023', format('epoch %s ahead of venue, which has %s', p_epoch, p_present));
    ELSIF p_epoch < p_present THEN
        PERFORM venue.take_in(p_cabinet, 200 * coalesce(cardinality(p_pool), 0));
    END IF;
    IF cardinality(p_pool) <> cardinality(p_seq) OR cardinality(p_pool) <> cardinality(p_cum)
       OR p_pool IS NULL OR p_seq IS NULL OR p_cum IS NULL
       OR EXISTS (SELECT FROM unnest(p_pool, p_seq, p_cum) u(p, s, v)
                  WHERE p IS NULL OR s IS NULL OR v IS NULL OR s < 0 OR v < 0)
       OR cardinality(p_pool) <> (SELECT count(DISTINCT p) FROM unnest(p_pool) p) THEN
        RAISE EXCEPTION 'put: one seq and one cum, of 0 or more, for each pool' USING ERRCODE = '22023';
    END IF;
    SELECT p AS pool, v AS cum, v > venue.most_contributed() AS high INTO amiss FROM unnest(p_pool, p_cum) u(p, v)
    WHERE v > venue.most_contributed() OR NOT EXISTS (SELECT FROM venue.pool q WHERE q.pool = p) LIMIT 1;
    IF amiss.high THEN
        PERFORM venue.refuse(p_cabinet, 'call', '22023', format('cabinet %s says that it has contributed %s/1000 cent to '
                             'pool %s: no cabinet does', p_cabinet, amiss.cum, amiss.pool));
    ELSIF amiss.pool IS NOT NULL THEN
        RAISE EXCEPTION 'there is no pool %', amiss.pool USING ERRCODE = '22023';
    END IF;
    -- Within an epoch a meter never falls (a trigger refuses it). The end of an earlier one may be lower under a higher
    -- number where a copied card played on beside the cabinet: the larger one stays. A pool that the cabinet was taken out
    -- of takes nothing from it.
    INSERT INTO venue.meter AS m (pool, cabinet, epoch, seq, cum)
    SELECT p, p_cabinet, p_epoch, s, v FROM unnest(p_pool, p_seq, p_cum) u(p, s, v)
    WHERE NOT EXISTS (SELECT FROM venue.removal r WHERE (r.cabinet, r.pool, r.state) = (p_cabinet, p, 'approved')) ORDER BY p
    ON CONFLICT (pool, cabinet, epoch)
    DO UPDATE SET seq = EXCLUDED.seq, cum = EXCLUDED.cum, at = clock_timestamp()
    WHERE m.seq < EXCLUDED.seq AND (m.cum <= EXCLUDED.cum OR p_epoch = p_present);
    -- Many epochs of a cabinet together contribute no more than one may.
    SELECT m.pool, sum(m.cum) AS cum INTO amiss FROM venue.meter m
    WHERE m.cabinet = p_cabinet AND m.pool = ANY (p_pool) GROUP BY m.pool HAVING sum(m.cum) > venue.most_contributed() LIMIT 1;
    IF amiss.pool IS NOT NULL THEN
        PERFORM venue.refuse(p_cabinet, 'call', '22023', format('cabinet %s says that it has contributed %s/1000 cent to '
                             'pool %s in all its epochs: no cabinet does', p_cabinet, amiss.cum, amiss.pool));
    END IF;
END $$;

CREATE FUNCTION venue.put(p_session bigint, p_pool int[], p_seq bigint[], p_cum bigint[], p_epoch int DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
BEGIN
    PERFORM venue.put_meters(c.cabinet, c.epoch, coalesce(p_epoch, c.epoch), p_pool, p_seq, p_cum);
END $$;

CREATE FUNCTION venue.claim(
    p_session bigint, p_pool int, p_epoch int, p_round bigint, p_number int, p_seq bigint, p_cum bigint,
    OUT award bigint, OUT hit bigint, OUT seed bigint, OUT dup bool
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
    q venue.pool;
    known venue.claim;
    late venue.late_claim;
    total bigint;
BEGIN
    IF p_epoch IS NULL OR p_round IS NULL OR p_number IS NULL OR p_epoch < 1 THEN
        RAISE EXCEPTION 'claim: pool, epoch, round and number are needed' USING ERRCODE = '22023';
    ELSIF p_epoch > c.epoch THEN
        PERFORM venue.refuse(c.cabinet, 'call', '22023', format('epoch %s ahead of venue, which has %s', p_epoch, c.epoch));
    END IF;
    -- Asked again: what is seen here was committed, and never changes. It waits for no lock, and as nothing is left to be
    -- stored its own commit needs no disk.
    SELECT k.* INTO known FROM venue.claim k
    WHERE k.cabinet = c.cabinet AND k.epoch = p_epoch AND k.round = p_round AND k.number = p_number AND k.pool = p_pool
      AND (p_seq IS NULL OR p_cum IS NULL OR (p_seq >= 0 AND p_cum >= 0 AND EXISTS (
          SELECT FROM venue.meter m WHERE m.pool = p_pool AND m.cabinet = c.cabinet AND m.epoch = p_epoch
          AND m.seq >= p_seq AND m.cum >= p_cum)));
    IF FOUND THEN
        PERFORM set_config('synchronous_commit', 'off', true);
        award := known.award; hit := known.hit; seed := known.seed; dup := true;
        RETURN;
    END IF;
    -- The winning bet counts: the meter is that of the claim's own epoch, and one of an old copy changes nothing.
    IF p_seq IS NOT NULL AND p_cum IS NOT NULL THEN
        PERFORM venue.put_meters(c.cabinet, c.epoch, p_epoch, ARRAY[p_pool], ARRAY[p_seq], ARRAY[p_cum]);
    END IF;
    -- A new meter's reference to the pool holds its key: two first claims that each waited for the other's would deadlock.
    SELECT * INTO q FROM venue.pool x WHERE x.pool = p_pool FOR NO KEY UPDATE;
    IF q.pool IS NULL THEN
        RAISE EXCEPTION 'there is no pool %', p_pool USING ERRCODE = '22023';
    END IF;
    SELECT * INTO known FROM venue.claim k
    WHERE k.cabinet = c.cabinet AND k.epoch = p_epoch AND k.round = p_round AND k.number = p_number;
    IF FOUND THEN
        IF known.pool <> p_pool THEN
            PERFORM venue.refuse(c.cabinet, 'call', '22023',
                                 format('round %s claimed pool %s before, not %s', p_round, known.pool, p_pool));
        END IF;
        award := known.award; hit := known.hit; seed := known.seed; dup := true;
        RETURN;
    END IF;
    -- Answered by a venue that was lost, and given back too late to be booked: never answered anew.
    SELECT * INTO late FROM venue.late_claim k
    WHERE k.cabinet = c.cabinet AND k.epoch = p_epoch AND k.round = p_round AND k.number = p_number;
    IF FOUND THEN
        award := late.award; hit := late.hit; seed := late.seed; dup := true;
        RETURN;
    END IF;
    -- Paid by the books that this cabinet lost, and entered by a person: an older copy of them asks for the round anew.
    SELECT s.award, s.hit, s.seed INTO award, hit, seed FROM venue.take_slip(c, q, p_epoch, p_round, p_number) s;
    IF award IS NOT NULL THEN
        dup := true;
        RETURN;
    END IF;
    IF q.state <> 'open' THEN
        RAISE EXCEPTION 'pool % is %', p_pool, q.state USING ERRCODE = '55000';
    ELSIF EXISTS (SELECT FROM venue.removal r WHERE (r.cabinet, r.pool, r.state) = (c.cabinet, p_pool, 'approved')) THEN
        RAISE EXCEPTION 'cabinet % was taken out of pool %', c.cabinet, p_pool USING ERRCODE = '55000';
    END IF;
    -- A statement after the lock: under READ COMMITTED it sees all that earlier claimers committed. In the statement
    -- that waits for the lock it would see the meters of before the wait and the base of after it.
    SELECT coalesce(sum(m.cum), 0) INTO total FROM venue.meter m WHERE m.pool = p_pool;
    award := (q.seed + total - q.base) / q.unit * q.unit;
    IF award < q.seed THEN
        RAISE EXCEPTION 'pool % is worth less than its seed', p_pool USING ERRCODE = '55000';
    END IF;
    PERFORM venue.take_in(c.cabinet, 500);
    hit := q.hits + 1; seed := q.seed; dup := false;
    INSERT INTO venue.claim (cabinet, epoch, round, number, pool, hit, seed, rate_per_mille, award)
    VALUES (c.cabinet, p_epoch, p_round, p_number, p_pool, hit, q.seed, q.rate_per_mille, award);
    UPDATE venue.pool x
    SET base = q.base + claim.award - q.seed, hits = claim.hit,
        seed = coalesce(q.next_seed, q.seed), next_seed = NULL,
        rate_per_mille = coalesce(q.next_rate_per_mille, q.rate_per_mille), next_rate_per_mille = NULL
    WHERE x.pool = p_pool;
    UPDATE venue.pool_value v
    SET amount = coalesce(q.next_seed, q.seed) + total - (q.base + claim.award - q.seed), at = clock_timestamp()
    WHERE v.pool = p_pool;
    PERFORM venue.raise_alarm('jackpot', c.cabinet, format('jackpot %s %s', p_pool, hit),
                              jsonb_build_object('pool', p_pool, 'hit', hit, 'award', award, 'round', p_round));
END $$;

-- Sums anew those values of pools that are a second old; one caller does it, the others go on.
CREATE FUNCTION venue.refresh_values(p_age interval DEFAULT '1 s') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    stale int[];
BEGIN
    SELECT array_agg(x.pool) INTO stale FROM (
        SELECT v.pool FROM venue.pool_value v WHERE v.at <= clock_timestamp() - p_age
        ORDER BY v.pool FOR UPDATE SKIP LOCKED) x;
    IF stale IS NOT NULL THEN
        UPDATE venue.pool_value v
        SET amount = q.seed - q.base + coalesce((SELECT sum(m.cum)::bigint FROM venue.meter m WHERE m.pool = q.pool), 0),
            at = clock_timestamp()
        FROM venue.pool q WHERE q.pool = v.pool AND v.pool = ANY (stale);
    END IF;
END $$;
CREATE FUNCTION venue.make_value() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO venue.pool_value (pool, amount) VALUES (NEW.pool, NEW.seed - NEW.base);
    RETURN NULL;
END $$;
CREATE TRIGGER make_value AFTER INSERT ON venue.pool FOR EACH ROW EXECUTE FUNCTION venue.make_value();

-- A number of a status as a whole one, where it is a number between -p_most and p_most: a cabinet may send anything.
CREATE FUNCTION venue.whole_number(p_value jsonb, p_most bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN jsonb_typeof(p_value) = 'number' AND (p_value #>> '{}')::numeric BETWEEN -p_most AND p_most
                THEN (p_value #>> '{}')::numeric::bigint END
$$;

-- A number of a status that a chart can show.
CREATE FUNCTION venue.figure(p_value jsonb) RETURNS float LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN venue.whole_number(p_value, 1000000000) IS NOT NULL THEN (p_value #>> '{}')::float END
$$;

-- Keeps a cabinet's newest status, and its history where something has changed.
CREATE FUNCTION venue.keep_status(p_cabinet int, p_session bigint, p_status jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    now_at timestamptz := clock_timestamp();
    digest bytea;
    changed int;
BEGIN
    digest := sha256(convert_to(jsonb_build_array(p_status -> 'state', p_status -> 'game', p_status -> 'doors',
        p_status -> 'faults', p_status -> 'software', p_status -> 'trial', p_status #> '{books,whole}',
        p_status -> 'lock')::text, 'UTF8'));
    INSERT INTO venue.status AS s (cabinet, at, session, status, clock_off_ms, kept_at, kept)
    VALUES (p_cabinet, now_at, p_session, p_status,
            venue.whole_number(p_status -> 'clock_ms', 100000000000000) - (extract(epoch FROM now_at) * 1000)::bigint,
            NULL, NULL)
    ON CONFLICT (cabinet) DO UPDATE
    SET at = EXCLUDED.at, session = EXCLUDED.session, status = EXCLUDED.status, clock_off_ms = EXCLUDED.clock_off_ms;
    UPDATE venue.status s SET kept_at = now_at, kept = digest
    WHERE s.cabinet = p_cabinet
      AND (s.kept IS DISTINCT FROM digest OR s.kept_at IS NULL OR s.kept_at < now_at - interval '10 min');
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed > 0 THEN
        PERFORM venue.take_in(p_cabinet, octet_length(p_status::text));
        INSERT INTO venue.status_history (cabinet, at, status) VALUES (p_cabinet, now_at, p_status);
    END IF;
END $$;

-- A cabinet that cannot use its books, and so begins no session, says that it is locked and why. It changes nothing but
-- the cabinet's status; the next beat ends it. Without a session (0) it is not trusted while another card of this
-- cabinet beats.
CREATE FUNCTION venue.locked(p_session bigint, p_whole bool, p_text text) RETURNS bool
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet;
    s venue.status;
BEGIN
    SELECT * INTO c FROM venue.cabinet k WHERE k.role = session_user FOR SHARE;
    IF c.cabinet IS NULL THEN
        RAISE EXCEPTION 'not enrolled: enrol this cabinet with a code of the page' USING ERRCODE = '28000';
    ELSIF c.retired THEN
        PERFORM venue.refuse(c.cabinet, 'call', '28000', 'cabinet ' || c.cabinet || ' is retired');
    ELSIF p_session IS NULL OR p_session NOT IN (0, c.session) THEN
        PERFORM venue.refuse(c.cabinet, 'call', '28000', 'fenced: a newer session holds cabinet ' || c.cabinet);
    ELSIF p_text IS NULL OR length(p_text) > 500 THEN
        RAISE EXCEPTION 'locked: the reason has at most 500 letters' USING ERRCODE = '22023';
    END IF;
    SELECT * INTO s FROM venue.status x WHERE x.cabinet = c.cabinet;
    IF p_session = 0 AND s.at > clock_timestamp() - interval '10 s' AND NOT s.status ? 'lock' THEN
        RETURN false;
    END IF;
    PERFORM venue.keep_status(c.cabinet, c.session, jsonb_strip_nulls(jsonb_build_object(
        'state', 'locked', 'lock', p_text, 'books', CASE WHEN NOT p_whole THEN '{"whole": false}'::jsonb END,
        'software', jsonb_build_object('version', s.status #> '{software,version}', 'state', 'locked'))));
    RETURN true;
END $$;

CREATE FUNCTION venue.beat(p_session bigint, p_status jsonb) RETURNS TABLE (
    pool int, game text, coin int, amount bigint, hits bigint, state text, seed bigint, unit bigint, rate_per_mille int
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
#variable_conflict use_column
DECLARE
    c venue.cabinet;
BEGIN
    -- A status may be lost in a crash of the server; three seconds later there is another one.
    PERFORM set_config('synchronous_commit', 'off', true);
    c := venue.caller(p_session);
    IF p_status IS NULL OR jsonb_typeof(p_status) <> 'object' OR octet_length(p_status::text) > 32768 THEN
        RAISE EXCEPTION 'beat: the status is a JSON object of at most 32 KiB' USING ERRCODE = '22023';
    END IF;
    PERFORM venue.keep_status(c.cabinet, p_session, p_status);
    PERFORM venue.refresh_values();
    RETURN QUERY
        SELECT q.pool, q.game, q.coin, CASE q.state WHEN 'open' THEN v.amount ELSE greatest(v.amount, q.seed) END,
               q.hits, CASE WHEN r.removal IS NULL THEN q.state ELSE 'closed' END, q.seed, q.unit, q.rate_per_mille
        FROM venue.pool q JOIN venue.pool_value v USING (pool)
        LEFT JOIN venue.removal r ON (r.cabinet, r.pool, r.state) = (c.cabinet, q.pool, 'approved') ORDER BY q.pool;
END $$;

GRANT EXECUTE ON FUNCTION venue.hello, venue.beat, venue.locked, venue.put, venue.claim TO cabinets;
