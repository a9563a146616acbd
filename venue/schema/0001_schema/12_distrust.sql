-- Retiring a cabinet that is not trusted. Nothing that it says of itself, nor any lock that it holds, keeps two people from
-- it: who proposes it closes its login, which ends its sessions, and another approves it.
SET LOCAL ROLE venue_owner;

CREATE TABLE venue.distrust (
    distrust bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cabinet int NOT NULL,
    reason text NOT NULL CHECK (reason <> ''),
    proposed_by text NOT NULL CHECK (proposed_by <> ''),
    proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    state text NOT NULL DEFAULT 'proposed' CHECK (state IN ('proposed', 'approved', 'rejected')),
    decided_by text,
    decided_at timestamptz,
    CONSTRAINT two_people CHECK (state <> 'approved' OR (decided_by IS NOT NULL AND decided_by <> proposed_by))
);
CREATE UNIQUE INDEX one_distrust ON venue.distrust (cabinet) WHERE state = 'proposed';

CREATE FUNCTION venue.propose_distrust(p_cabinet int, p_reason text, p_by text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    made bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM venue.closed_login o WHERE o.cabinet = p_cabinet) THEN
        PERFORM venue.close_login(p_cabinet, p_reason, p_by);
    END IF;
    INSERT INTO venue.distrust (cabinet, reason, proposed_by) VALUES (p_cabinet, p_reason, p_by)
    ON CONFLICT DO NOTHING RETURNING distrust INTO made;
    IF made IS NULL THEN
        RAISE EXCEPTION 'that waits for a second person already' USING ERRCODE = '55000';
    END IF;
    PERFORM venue.note(p_by, 'distrust proposed', p_cabinet, jsonb_build_object('distrust', made, 'reason', p_reason));
    RETURN made;
END $$;

-- Opens a login that was closed, with the password that it had. Not while its cabinet's retirement waits.
CREATE FUNCTION venue.open_login(p_cabinet int, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM venue.distrust d WHERE d.cabinet = p_cabinet AND d.state = 'proposed') THEN
        RAISE EXCEPTION 'the retirement of cabinet % waits for a second person: decide that', p_cabinet USING ERRCODE = '55000';
    END IF;
    DELETE FROM venue.closed_login o WHERE o.cabinet = p_cabinet;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the login of cabinet % is not closed', p_cabinet USING ERRCODE = '55000';
    END IF;
    DELETE FROM venue.held_session h WHERE h.cabinet = p_cabinet;
    PERFORM venue.shut_login(k.role::text, false) FROM venue.cabinet k WHERE k.cabinet = p_cabinet AND NOT k.retired;
    PERFORM venue.note(p_by, 'login opened', p_cabinet, '{}');
END $$;

-- Tickets that a cabinet holds and others have printed or people entered; and those that only its claim says exist. It may
-- make up as many of the latter as it likes, so nothing but the first is looked through when it is retired.
CREATE INDEX ticket_held_of_others ON venue.ticket (holder)
    WHERE state = 'held' AND cabinet IS DISTINCT FROM holder AND (cabinet IS NOT NULL OR entered_by IS NOT NULL);
CREATE INDEX ticket_held_unvouched ON venue.ticket (holder) WHERE state = 'held' AND cabinet IS NULL AND entered_by IS NULL;

-- Makes open items of the tickets of others that a cabinet holds which is not trusted, and returns how many there are and of
-- what amount; and how many that only it knows, which the watch voids, up to 10,000. Those that it has printed are worth
-- nothing until two people open them (venue.worth_of).
CREATE FUNCTION venue.doubt_tickets(p_cabinet int) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    found jsonb;
BEGIN
    WITH made AS (
        INSERT INTO venue.ticket_trouble (kind, number, cabinet, epoch, claim, cents)
        SELECT 'distrusted', t.number, t.holder, t.holder_epoch, t.holder_claim, t.cents FROM venue.ticket t
        WHERE t.state = 'held' AND t.holder = p_cabinet AND t.cabinet IS DISTINCT FROM t.holder
          AND (t.cabinet IS NOT NULL OR t.entered_by IS NOT NULL) ON CONFLICT DO NOTHING RETURNING cents
    )
    SELECT jsonb_build_object('held', count(*), 'amount_cents', coalesce(sum(m.cents), 0), 'void', (
        SELECT count(*) FROM (SELECT FROM venue.ticket t WHERE t.state = 'held' AND t.holder = p_cabinet AND t.cabinet IS NULL
                              AND t.entered_by IS NULL LIMIT 10000) x)) INTO found
    FROM made m;
    UPDATE venue.alarm a SET over_at = clock_timestamp(), last_at = clock_timestamp()
    WHERE a.cabinet = p_cabinet AND a.code = 'ticket_held' AND a.over_at IS NULL;
    RETURN found;
END $$;

-- Voids a part of the tickets that only the claims of cabinets that are not trusted say exist.
CREATE FUNCTION venue.void_unvouched(p_most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    found int;
BEGIN
    LOCK TABLE venue.day_meter IN ROW EXCLUSIVE MODE;  -- the lock of `close_month`
    UPDATE venue.ticket t
    SET state = 'void', holder = NULL, holder_epoch = NULL, holder_claim = NULL, settled_at = clock_timestamp(),
        settled_day = venue.open_day(clock_timestamp()), settled_by = x.by
    FROM (SELECT o.number, d.decided_by AS by FROM venue.cabinet k
          CROSS JOIN LATERAL (SELECT y.decided_by FROM venue.distrust y WHERE y.cabinet = k.cabinet AND y.state = 'approved'
                              ORDER BY y.distrust DESC LIMIT 1) d
          JOIN venue.ticket o ON o.holder = k.cabinet AND o.state = 'held' AND o.cabinet IS NULL AND o.entered_by IS NULL
          WHERE k.distrusted LIMIT p_most FOR UPDATE OF o SKIP LOCKED) x
    WHERE t.number = x.number;
    GET DIAGNOSTICS found = ROW_COUNT;
    RETURN found;
END $$;

CREATE FUNCTION venue.decide_distrust(p_distrust bigint, p_approve bool, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    d venue.distrust;
    login name;
    lacking jsonb;
BEGIN
    SELECT * INTO d FROM venue.distrust x WHERE x.distrust = p_distrust FOR UPDATE;
    IF d.state IS DISTINCT FROM 'proposed' THEN
        RAISE EXCEPTION 'proposal % is not waiting for a decision', p_distrust USING ERRCODE = '55000';
    ELSIF p_approve AND d.proposed_by = p_by THEN
        RAISE EXCEPTION 'another person than % approves this', p_by USING ERRCODE = '42501';
    END IF;
    UPDATE venue.distrust x
    SET state = CASE WHEN p_approve THEN 'approved' ELSE 'rejected' END, decided_by = p_by, decided_at = clock_timestamp()
    WHERE x.distrust = p_distrust;
    PERFORM venue.note(p_by, CASE WHEN p_approve THEN 'distrust approved' ELSE 'distrust rejected' END, d.cabinet,
                       jsonb_build_object('distrust', p_distrust));
    IF NOT p_approve THEN
        IF EXISTS (SELECT FROM venue.closed_login o WHERE o.cabinet = d.cabinet) THEN
            PERFORM venue.open_login(d.cabinet, p_by);
        END IF;
        RETURN;
    END IF;
    SELECT k.role INTO login FROM venue.cabinet k JOIN venue.closed_login o USING (cabinet)
    WHERE k.cabinet = d.cabinet AND NOT k.retired;
    IF login IS NULL THEN
        RAISE EXCEPTION 'cabinet % was retired or replaced since: reject this', d.cabinet USING ERRCODE = '55000';
    END IF;
    -- Before the first lock that the cabinet could have: it cannot come back.
    PERFORM venue.end_sessions(login::text);
    PERFORM venue.set_login(login::text, NULL);
    UPDATE venue.cabinet k SET retired = true, distrusted = true, session = k.session + 1 WHERE k.cabinet = d.cabinet;
    DELETE FROM venue.closed_login o WHERE o.cabinet = d.cabinet;
    -- What it said that it had not handed over counts no more, and is shown.
    lacking := venue.doubt_tickets(d.cabinet) || jsonb_strip_nulls(jsonb_build_object('unsent', (
        SELECT venue.whole_number(s.status -> 'unsent', 1000000000) FROM venue.status s WHERE s.cabinet = d.cabinet)));
    PERFORM venue.raise_alarm('distrusted', d.cabinet, format('distrusted %s %s', d.cabinet, p_distrust), lacking);
    PERFORM venue.note(p_by, 'retired', d.cabinet, lacking || jsonb_build_object('reason', d.reason, 'distrust', p_distrust));
    -- Pools that recover on its word alone open at once, where no report is missing and their books balance.
    IF EXISTS (SELECT FROM venue.recovery r WHERE r.opened_at IS NULL AND r.word_of = d.cabinet) THEN
        BEGIN
            PERFORM venue.open_pools(true, p_by);
        EXCEPTION WHEN object_not_in_prerequisite_state OR query_canceled THEN
            NULL;  -- an operator opens them, as after any recovery; also where there is too much to look through
        END;
    END IF;
END $$;

GRANT SELECT ON venue.distrust TO venue_page;
GRANT EXECUTE ON FUNCTION venue.propose_distrust, venue.decide_distrust, venue.open_login TO venue_page;
