-- What is wrong now (venue.trouble), the watch that opens and closes alarms by it, and what the daily tidying removes.
SET LOCAL ROLE venue_owner;

CREATE TABLE venue.backup (
    backup bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    path text NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL
);
-- The nightly audit.
CREATE TABLE venue.audit_run (
    run bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    by text NOT NULL,
    checked text[] NOT NULL,
    failures text[] NOT NULL
);
COMMENT ON TABLE venue.audit_run IS 'each run of `cabinet venue audit`: what it proved, and what it did not';

INSERT INTO venue.alarm_rule (code, source, severity, figure, escalate_after) VALUES
    ('audit_failed', 'trouble', 'critical', NULL, '5 min'),
    ('audit_old', 'trouble', 'warning', 48, NULL);

-- Each meter as it was at the last tidying, so that one that has fallen since is seen, whoever changed it.
CREATE TABLE venue.meter_mark (
    pool int NOT NULL,
    cabinet int NOT NULL,
    epoch int NOT NULL,
    seq bigint NOT NULL,
    cum bigint NOT NULL,
    PRIMARY KEY (pool, cabinet, epoch)
);
-- Refused calls that a person has seen.
CREATE TABLE venue.refusals_seen (
    cabinet int PRIMARY KEY REFERENCES venue.cabinet,
    calls bigint NOT NULL DEFAULT 0,
    chains bigint NOT NULL DEFAULT 0,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE VIEW venue.refusals AS
    SELECT k.cabinet, coalesce(pg_sequence_last_value(format('venue.call_refused_%s', k.cabinet)::regclass), 0) AS calls,
           coalesce(pg_sequence_last_value(format('venue.chain_refused_%s', k.cabinet)::regclass), 0) AS chains,
           coalesce(s.calls, 0) AS calls_seen, coalesce(s.chains, 0) AS chains_seen
    FROM venue.cabinet k LEFT JOIN venue.refusals_seen s USING (cabinet);

-- Ledger rows that do not follow the row before; rows older than the retention are gone, and are not asked for.
CREATE VIEW venue.chain_break AS
    SELECT x.cabinet, x.branch, x.row FROM (
        SELECT l.cabinet, l.branch, l.row, l.hash, l.body,
               lag(l.hash) OVER w AS before, lag(l.row) OVER w AS row_before, h.base_row, h.base_hash
        FROM venue.ledger_row l JOIN venue.chain h USING (cabinet, branch)
        WINDOW w AS (PARTITION BY l.cabinet, l.branch ORDER BY l.row)) x
    WHERE (x.row_before IS NOT NULL AND (x.row <> x.row_before + 1 OR sha256(x.before || x.body) <> x.hash))
       OR (x.row_before IS NULL AND x.row = x.base_row + 1 AND sha256(x.base_hash || x.body) <> x.hash)
    UNION ALL
    SELECT h.cabinet, h.branch, h.newest_row FROM venue.chain h
    WHERE h.newest_row > h.base_row AND h.newest_hash IS DISTINCT FROM (
        SELECT l.hash FROM venue.ledger_row l
        WHERE l.cabinet = h.cabinet AND l.branch = h.branch AND l.row = h.newest_row)
      AND EXISTS (SELECT FROM venue.ledger_row l WHERE l.cabinet = h.cabinet AND l.branch = h.branch);

-- Whether a rule alarms at that moment by its hours, in the venue's time zone; one without hours always does.
CREATE FUNCTION venue.in_hours(p_from time, p_to time, p_at timestamptz) RETURNS bool LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_from IS NULL OR p_to IS NULL THEN true
                WHEN p_from <= p_to THEN clock >= p_from AND clock < p_to
                ELSE clock >= p_from OR clock < p_to END
    FROM (SELECT (p_at AT TIME ZONE coalesce((SELECT timezone FROM venue.site), 'UTC'))::time AS clock) x
$$;

CREATE TABLE venue.opening (
    cabinet int NOT NULL REFERENCES venue.cabinet,
    door text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (cabinet, door)
);
COMMENT ON TABLE venue.opening IS 'doors that are open and have alarmed by their event: their status does not alarm again';

-- Raises the alarm of a door's opening (an event `door_open`) out of hours, however short it was and whenever the event
-- arrives. The moment is the cabinet's, less what its clock is off; where that is more than the rule `clock_off` allows,
-- or unknown, the time of arrival counts too. An alarm by the status of the same opening becomes this one.
CREATE FUNCTION venue.judge_opening(p_event venue.event) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    rule CONSTANT text := 'door_out_of_hours';
    r venue.alarm_rule;
    place text := left(coalesce(p_event.body ->> 'place', ''), 100);
    own text := format('%s %s %s %s', rule, p_event.cabinet, p_event.epoch, p_event.seq);
    off bigint;
    opened timestamptz;
    contents jsonb;
BEGIN
    SELECT * INTO r FROM venue.alarm_rule x WHERE x.code = rule AND x.enabled;
    SELECT s.clock_off_ms INTO off FROM venue.status s
    WHERE s.cabinet = p_event.cabinet AND s.clock_off_ms BETWEEN -100000000000000 AND 100000000000000;
    opened := p_event.cab_at - make_interval(secs => coalesce(off, 0) / 1000.0);
    IF r.code IS NULL OR NOT (
        venue.in_hours(r.hours_from, r.hours_to, least(opened, p_event.at))
        OR (coalesce(abs(off) > (SELECT x.figure FROM venue.alarm_rule x WHERE x.code = 'clock_off'), true)
            AND venue.in_hours(r.hours_from, r.hours_to, p_event.at))) THEN
        DELETE FROM venue.opening o WHERE o.cabinet = p_event.cabinet AND o.door = place;
        RETURN;
    END IF;
    contents := jsonb_build_object('doors', jsonb_build_array(place), 'since', least(opened, p_event.at));
    UPDATE venue.alarm a
    SET key = own, lasting = false, detail = contents,
        over_at = CASE WHEN a.acknowledged_at IS NOT NULL THEN coalesce(a.over_at, clock_timestamp()) END
    WHERE a.alarm = (
        SELECT min(x.alarm) FROM venue.alarm x
        WHERE x.cabinet = p_event.cabinet AND x.key = format('%s %s %s', rule, p_event.cabinet, place)
          AND x.lasting AND x.since >= opened - interval '5 s');
    IF NOT FOUND THEN
        PERFORM venue.raise_alarm(rule, p_event.cabinet, own, contents);
    END IF;
    INSERT INTO venue.opening (cabinet, door) VALUES (p_event.cabinet, place)
    ON CONFLICT ON CONSTRAINT opening_pkey DO UPDATE SET at = clock_timestamp();
END $$;

CREATE VIEW venue.trouble_seen AS
    WITH rule AS (SELECT * FROM venue.alarm_rule WHERE source = 'trouble' AND enabled),
    live AS (SELECT s.*, k.label FROM venue.status s JOIN venue.cabinet k USING (cabinet) WHERE NOT k.retired),
    -- A cabinet may send anything: what is long is cut, as an alarm's key has little room, and what is many.
    present AS (SELECT s.cabinet, left(coalesce(f ->> 'code', ''), 100) AS code, left(f ->> 'place', 100) AS place,
                       CASE WHEN octet_length(f::text) <= 2000 THEN f
                            ELSE jsonb_build_object('code', left(f ->> 'code', 100)) END AS fault
                FROM live s, jsonb_array_elements(CASE jsonb_typeof(s.status -> 'faults')
                    WHEN 'array' THEN s.status -> 'faults' ELSE '[]' END) WITH ORDINALITY x(f, n) WHERE n <= 50)
    SELECT r.code || ' ' || k.cabinet AS key, r.code, k.cabinet,
           jsonb_build_object('last_seen', s.at) AS detail
    FROM rule r, venue.cabinet k LEFT JOIN venue.status s USING (cabinet)
    WHERE r.code = 'link_lost' AND NOT k.retired AND k.epoch > 0
      AND coalesce(s.at, k.hello_at) < clock_timestamp() - make_interval(secs => r.figure)
    UNION ALL
    SELECT r.code || ' ' || k.cabinet, r.code, k.cabinet, '{}'::jsonb
    FROM rule r, venue.cabinet k WHERE r.code = 'alarm_flood' AND venue.is_flooding(k.cabinet)
    UNION ALL
    SELECT format('%s %s %s', r.code, f.cabinet, f.calls), r.code, f.cabinet, jsonb_build_object('times', f.calls - f.calls_seen)
    FROM rule r, venue.refusals f WHERE r.code = 'calls_refused' AND f.calls > f.calls_seen
    UNION ALL
    SELECT format('%s %s %s', r.code, f.cabinet, f.chains), r.code, f.cabinet, jsonb_build_object('times', f.chains - f.chains_seen)
    FROM rule r, venue.refusals f WHERE r.code = 'chain_refused' AND f.chains > f.chains_seen
    UNION ALL
    SELECT format('%s %s', r.code, a.pool), r.code, NULL, to_jsonb(a)
    FROM rule r, venue.pool_audit a
    WHERE (r.code = 'pool_base' AND NOT a.base_ok) OR (r.code = 'pool_award' AND NOT a.awards_ok)
       OR (r.code = 'pool_hits' AND NOT a.hits_ok AND a.state <> 'recovering')
       OR (r.code = 'pool_below_seed' AND NOT a.value_ok AND a.state = 'open')
    UNION ALL
    SELECT format('%s %s %s %s', r.code, x.pool, x.cabinet, x.epoch), r.code, x.cabinet,
           jsonb_build_object('pool', x.pool, 'epoch', x.epoch, 'was', x.cum, 'is', m.cum)
    FROM rule r, venue.meter_mark x LEFT JOIN venue.meter m USING (pool, cabinet, epoch)
    WHERE r.code = 'meter_fell' AND (m.pool IS NULL OR m.cum < x.cum OR m.seq < x.seq)
      AND NOT EXISTS (SELECT FROM venue.recovery v WHERE v.opened_at IS NULL)
    UNION ALL
    SELECT r.code || ' ' || v.recovery, r.code, NULL,
           jsonb_build_object('since', v.began_at, 'reason', v.reason,
                              'waits_for', (SELECT jsonb_agg(n.cabinet ORDER BY n.cabinet) FROM venue.not_reported n))
    FROM rule r, venue.recovery v WHERE r.code = 'recovering' AND v.opened_at IS NULL
    UNION ALL
    SELECT format('%s %s %s %s %s', r.code, l.cabinet, l.epoch, l.round, l.number), r.code, l.cabinet, to_jsonb(l)
    FROM rule r, venue.late_claim l JOIN venue.cabinet k USING (cabinet)
    WHERE r.code = 'late_claim' AND l.adjustment IS NULL AND NOT k.distrusted
    UNION ALL
    SELECT r.code || ' ' || s.cabinet, r.code, s.cabinet,
           CASE jsonb_typeof(s.status -> 'lock') WHEN 'string' THEN jsonb_build_object('reason', left(s.status ->> 'lock', 500))
                ELSE s.status -> 'books' END
    FROM rule r, live s WHERE r.code = 'books_differ' AND s.status #> '{books,whole}' = 'false'
    UNION ALL
    SELECT r.code || ' ' || s.cabinet, r.code, s.cabinet, jsonb_build_object('reason', left(s.status ->> 'lock', 500))
    FROM rule r, live s
    WHERE r.code = 'locked' AND (s.status ->> 'state' = 'locked' OR s.status #>> '{software,state}' = 'locked')
      AND s.status #> '{books,whole}' IS DISTINCT FROM 'false'
    UNION ALL
    SELECT r.code || ' ' || s.cabinet, r.code, s.cabinet, s.status -> 'software'
    FROM rule r, live s WHERE r.code = 'software_differs' AND s.status #>> '{software,state}' = 'differs'
    UNION ALL
    SELECT format('%s %s %s', r.code, s.cabinet, left(door, 100)), r.code, s.cabinet,
           jsonb_build_object('doors', jsonb_build_array(door))
    FROM rule r, live s,
         jsonb_array_elements_text(CASE jsonb_typeof(s.status -> 'doors') WHEN 'array' THEN s.status -> 'doors' ELSE '[]' END)
             WITH ORDINALITY d(door, n)
    WHERE d.n <= 50 AND r.code = 'door_out_of_hours' AND venue.in_hours(r.hours_from, r.hours_to, clock_timestamp())
      AND NOT EXISTS (SELECT FROM venue.opening o WHERE o.cabinet = s.cabinet AND o.door = left(door, 100))
    UNION ALL
    -- Doors, cash boxes and hoppers have rules of their own.
    SELECT format('%s %s %s %s', r.code, p.cabinet, p.code, p.place), r.code, p.cabinet, p.fault
    FROM rule r, present p
    WHERE r.code = 'fault' AND p.code NOT IN ('door_open', 'door_closed', 'hopper_low', 'stacker_open')
    UNION ALL
    SELECT format('%s %s %s', r.code, p.cabinet, p.place), r.code, p.cabinet, p.fault
    FROM rule r, present p WHERE (r.code, p.code) IN (('hopper_low', 'hopper_low'), ('cash_box', 'stacker_open'))
    UNION ALL
    SELECT format('%s %s door', r.code, s.cabinet), r.code, s.cabinet, jsonb_build_object('doors', s.status -> 'doors')
    FROM rule r, live s
    WHERE r.code = 'cash_box' AND jsonb_typeof(s.status -> 'doors') = 'array' AND s.status -> 'doors' ? 'cash_box'
    UNION ALL
    SELECT r.code || ' ' || s.cabinet, r.code, s.cabinet, jsonb_build_object('off_ms', s.clock_off_ms)
    FROM rule r, live s WHERE r.code = 'clock_off' AND abs(s.clock_off_ms) > r.figure
    UNION ALL
    SELECT r.code || ' ' || s.cabinet, r.code, s.cabinet, s.status -> 'health'
    FROM rule r, live s
    WHERE (r.code = 'temperature' AND jsonb_typeof(s.status #> '{health,temperature_c}') = 'number'
           AND (s.status #>> '{health,temperature_c}')::numeric > r.figure)
       OR (r.code = 'disk_free' AND jsonb_typeof(s.status #> '{health,disk_free_mb}') = 'number'
           AND (s.status #>> '{health,disk_free_mb}')::numeric < r.figure)
       OR (r.code = 'card_wear' AND jsonb_typeof(s.status #> '{health,card_wear_percent}') = 'number'
           AND (s.status #>> '{health,card_wear_percent}')::numeric > r.figure)
    UNION ALL
    SELECT r.code, r.code, NULL, '{}'
    FROM rule r WHERE r.code = 'partition_rest'
      AND (EXISTS (SELECT FROM venue.event_rest) OR EXISTS (SELECT FROM venue.ledger_row_rest)
           OR EXISTS (SELECT FROM venue.status_history_rest))
    UNION ALL
    SELECT r.code, r.code, NULL, jsonb_build_object('newest', b.at)
    FROM rule r, (SELECT max(at) AS at FROM venue.backup) b, venue.site t
    WHERE r.code = 'backup_old' AND coalesce(b.at, t.made_at) < clock_timestamp() - make_interval(hours => r.figure::int)
    UNION ALL
    SELECT r.code || ' ' || c.collection, r.code, c.cabinet,
           jsonb_build_object('collection', c.collection, 'difference_cents', c.difference_cents)
    FROM rule r, venue.collection_count c
    WHERE r.code = 'count_difference' AND abs(c.difference_cents) > r.figure AND c.counted_at > clock_timestamp() - interval '30 days';

-- What can be seen at any time, and what only the newest audit has found.
CREATE VIEW venue.trouble AS
    SELECT * FROM venue.trouble_seen
    UNION ALL
    SELECT r.code, r.code, NULL, jsonb_build_object('since', u.at, 'failures', to_jsonb(u.failures[1:5]))
    FROM venue.alarm_rule r, (SELECT * FROM venue.audit_run ORDER BY run DESC LIMIT 1) u
    WHERE r.code = 'audit_failed' AND r.enabled AND u.failures <> '{}'
    UNION ALL
    SELECT r.code, r.code, NULL, jsonb_build_object('newest', u.at)
    FROM venue.alarm_rule r, (SELECT max(at) AS at FROM venue.audit_run) u, venue.site t
    WHERE r.code = 'audit_old' AND r.enabled
      AND coalesce(u.at, t.made_at) < clock_timestamp() - make_interval(hours => r.figure::int);

-- Sessions that a cabinet's login has kept at work, or others waiting for.
CREATE TABLE venue.held_session (
    cabinet int NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON venue.held_session (cabinet, at);

-- Puts the logins of cabinets and codes right: one that was changed, or has had a session at work for longer than
-- p_longest, or p_blocking while another waited for it, which no call of a cabinet takes, alarms. A cabinet's that has held others up three times within a day is
-- closed, and so is a code's at once: its one call takes no time.
CREATE FUNCTION venue.watch_logins(p_longest interval, p_blocking interval) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    venue_itself CONSTANT text := 'venue';
    l record;
    times int;
BEGIN
    FOR l IN
        SELECT x.*, k.cabinet, k.retired FROM venue.keep_logins(
            ARRAY(SELECT c.role FROM venue.cabinet c UNION SELECT e.login FROM venue.enrolment_code e
                  WHERE e.expires_at > clock_timestamp() - interval '1 day'), p_longest, p_blocking) x
        LEFT JOIN venue.cabinet k USING (role)
    LOOP
        IF l.cabinet IS NULL THEN
            IF l.held THEN
                PERFORM venue.set_login(l.role::text, NULL);
                PERFORM venue.note(venue_itself, 'enrolment code closed', NULL, jsonb_build_object('login', l.role));
            END IF;
            CONTINUE;
        END IF;
        PERFORM venue.raise_alarm(a.code, l.cabinet, format('%s %s', a.code, l.cabinet), jsonb_build_object('by', l.role))
        FROM (VALUES ('login_changed', l.altered), ('session_held', l.ended)) a(code, is_so) WHERE a.is_so;
        IF l.held THEN
            INSERT INTO venue.held_session (cabinet) VALUES (l.cabinet);
            SELECT count(*) INTO times FROM venue.held_session h
            WHERE h.cabinet = l.cabinet AND h.at > clock_timestamp() - interval '1 day';
            IF times >= 3 AND NOT l.retired AND NOT EXISTS (SELECT FROM venue.closed_login o WHERE o.cabinet = l.cabinet) THEN
                PERFORM venue.close_login(l.cabinet, 'it has kept the server waiting three times within a day', venue_itself);
                PERFORM venue.raise_alarm('login_closed', l.cabinet, 'login_closed ' || l.cabinet,
                                          jsonb_build_object('by', l.role, 'times', times));
            END IF;
        END IF;
    END LOOP;
    DELETE FROM venue.held_session h WHERE h.at < clock_timestamp() - interval '1 day';
END $$;

-- Puts the logins right, opens an alarm for each trouble that has none, and ends those whose trouble is over. Returns how
-- many were opened. It waits for nothing that a cabinet has locked: the next round looks again.
CREATE FUNCTION venue.watch(p_longest interval DEFAULT '15 s', p_blocking interval DEFAULT '5 s') RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp SET jit = off SET lock_timeout = '500ms' AS $$
DECLARE
    opened int;
BEGIN
    BEGIN
        PERFORM venue.notice_move();
    EXCEPTION WHEN lock_not_available THEN
        NULL;  -- as below: the next round looks again
    END;
    PERFORM venue.watch_logins(p_longest, p_blocking);
    BEGIN
        DELETE FROM venue.opening o WHERE (o.cabinet, o.door) IN (
            SELECT x.cabinet, x.door FROM venue.opening x JOIN venue.status s USING (cabinet)
            WHERE s.at > x.at AND coalesce(NOT s.status -> 'doors' ? x.door, true) FOR UPDATE OF x SKIP LOCKED);
        WITH wrong AS MATERIALIZED (
            SELECT DISTINCT ON (t.key) t.key, t.code, t.cabinet, coalesce(t.detail, '{}') AS detail FROM venue.trouble t
        ), begun AS (
            INSERT INTO venue.alarm (key, code, cabinet, severity, lasting, detail)
            SELECT w.key, w.code, w.cabinet, r.severity, true, w.detail FROM wrong w JOIN venue.alarm_rule r USING (code)
            WHERE w.code = 'alarm_flood' OR NOT venue.is_flooding(w.cabinet)
            ON CONFLICT (key) WHERE over_at IS NULL DO NOTHING RETURNING alarm
        ), ended AS (
            UPDATE venue.alarm a SET over_at = clock_timestamp(), last_at = clock_timestamp()
            WHERE a.alarm IN (SELECT x.alarm FROM venue.alarm x
                              WHERE x.lasting AND x.over_at IS NULL AND NOT EXISTS (SELECT FROM wrong w WHERE w.key = x.key)
                              FOR UPDATE SKIP LOCKED)
        )
        SELECT count(*) INTO opened FROM begun;
    EXCEPTION WHEN lock_not_available THEN
        opened := 0;  -- what a cabinet's call has locked is let go, or its session ended, by one of the next rounds
    END;
    RETURN opened;
END $$;

CREATE FUNCTION venue.acknowledge(p_alarm bigint, p_remark text, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    a venue.alarm;
BEGIN
    UPDATE venue.alarm x
    SET acknowledged_by = p_by, acknowledged_at = clock_timestamp(), remark = p_remark,
        over_at = CASE WHEN x.lasting THEN x.over_at ELSE clock_timestamp() END
    WHERE x.alarm = p_alarm AND x.acknowledged_at IS NULL RETURNING * INTO a;
    IF a.alarm IS NULL THEN
        RAISE EXCEPTION 'alarm % is acknowledged already, or there is none', p_alarm USING ERRCODE = '55000';
    END IF;
    IF a.code IN ('calls_refused', 'chain_refused') THEN
        INSERT INTO venue.refusals_seen (cabinet, calls, chains)
        SELECT f.cabinet, CASE a.code WHEN 'calls_refused' THEN f.calls ELSE f.calls_seen END,
               CASE a.code WHEN 'chain_refused' THEN f.chains ELSE f.chains_seen END
        FROM venue.refusals f WHERE f.cabinet = a.cabinet
        ON CONFLICT (cabinet) DO UPDATE SET calls = EXCLUDED.calls, chains = EXCLUDED.chains, at = clock_timestamp();
    END IF;
    PERFORM venue.note(p_by, 'alarm acknowledged', a.cabinet,
                       jsonb_build_object('alarm', p_alarm, 'code', a.code, 'remark', p_remark));
END $$;

-- Alarms that nobody acknowledged within their rule's time move up, but for those that a call has locked; returns those
-- that did.
CREATE FUNCTION venue.escalate() RETURNS SETOF venue.alarm
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
    UPDATE venue.alarm a SET escalation = a.escalation + 1, escalated_at = clock_timestamp()
    WHERE a.alarm IN (
        SELECT x.alarm FROM venue.alarm x JOIN venue.alarm_rule r USING (code)
        WHERE x.over_at IS NULL AND x.acknowledged_at IS NULL AND r.escalate_after IS NOT NULL
          AND coalesce(x.escalated_at, x.since) < clock_timestamp() - r.escalate_after AND x.escalation < 3
        FOR UPDATE OF x SKIP LOCKED)
    RETURNING a.*
$$;

-- One tile of the floor for each cabinet in service.
CREATE VIEW venue.floor AS
    SELECT k.cabinet, k.label, k.program, k.epoch, k.hello_at, s.at AS last_seen, s.clock_off_ms,
           s.at IS NULL OR s.at < clock_timestamp() - interval '6 s' AS stale, s.status,
           s.status ->> 'state' AS state, s.status ->> 'game' AS game,
           venue.whole_number(s.status -> 'credit_cents', 1000000000000000) AS credit_cents,
           (SELECT count(*) FROM venue.alarm a WHERE a.cabinet = k.cabinet AND a.over_at IS NULL) AS open_alarms,
           (SELECT count(*) FROM venue.alarm a WHERE a.cabinet = k.cabinet AND a.over_at IS NULL AND a.severity = 'critical')
               AS critical_alarms,
           h.seen_row AS ledger_seen, h.newest_row AS ledger_stored
    FROM venue.cabinet k LEFT JOIN venue.status s USING (cabinet)
    LEFT JOIN LATERAL (SELECT * FROM venue.chain x WHERE x.cabinet = k.cabinet ORDER BY x.branch DESC LIMIT 1) h ON true
    WHERE NOT k.retired;

-- The jackpots as they are shown.
CREATE VIEW venue.jackpot AS
    SELECT q.pool, q.game, q.coin, q.state, q.seed, q.unit, q.rate_per_mille, q.next_seed, q.next_rate_per_mille, q.hits,
           CASE q.state WHEN 'open' THEN v.amount ELSE greatest(v.amount, q.seed) END AS amount
    FROM venue.pool q CROSS JOIN LATERAL (
        SELECT q.seed - q.base + coalesce((SELECT sum(m.cum)::bigint FROM venue.meter m WHERE m.pool = q.pool), 0) AS amount) v;

-- Daily: partitions, the meters as they are now, and what nobody asks for any more.
CREATE FUNCTION venue.tidy() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    INSERT INTO venue.meter_mark AS x (pool, cabinet, epoch, seq, cum)
    SELECT m.pool, m.cabinet, m.epoch, m.seq, m.cum FROM venue.meter m
    ON CONFLICT (pool, cabinet, epoch) DO UPDATE SET seq = EXCLUDED.seq, cum = EXCLUDED.cum
    WHERE EXCLUDED.cum >= x.cum AND EXCLUDED.seq >= x.seq;
    DELETE FROM venue.enrolment_code e WHERE e.used_at IS NULL AND e.expires_at < clock_timestamp() - interval '1 day';
    DELETE FROM venue.offer_part p USING venue.offer o
    WHERE o.offer = p.offer AND o.state IN ('done', 'stopped') AND o.ended_at < clock_timestamp() - interval '3 months';
    DELETE FROM venue.wanted_round w WHERE w.wanted_at < clock_timestamp() - interval '24 months';
    DELETE FROM venue.alarm_message m USING venue.alarm a
    WHERE a.alarm = m.alarm AND a.over_at < clock_timestamp() - interval '24 months';
    DELETE FROM venue.alarm a WHERE a.over_at < clock_timestamp() - interval '24 months';
    DELETE FROM venue.audit_run u WHERE u.at < clock_timestamp() - interval '24 months';
    RETURN venue.arrange_partitions(current_date);
END $$;

GRANT SELECT ON ALL TABLES IN SCHEMA venue TO venue_page;
GRANT EXECUTE ON FUNCTION venue.notice_move, venue.watch, venue.tidy, venue.acknowledge, venue.escalate, venue.recovering, venue.in_hours,
    venue.is_flooding, venue.whole_number, venue.figure TO venue_page;
GRANT INSERT, UPDATE ON venue.alarm_message TO venue_page;
GRANT UPDATE (severity, enabled, figure, hours_from, hours_to, escalate_after) ON venue.alarm_rule TO venue_page;
GRANT INSERT ON venue.alarm_rule TO venue_page;
GRANT UPDATE (name, timezone, currency) ON venue.site TO venue_page;
