-- Tickets: who printed each, what it is worth, and its one end. What cabinets say of them (docs/venue-protocol.md).
SET LOCAL ROLE venue_owner;

CREATE TABLE venue.ticket (
    number text PRIMARY KEY CHECK (number ~ '^[0-9]{18}$'),
    serial bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    cents bigint NOT NULL CHECK (cents BETWEEN 1 AND 1000000000),
    cabinet int REFERENCES venue.cabinet,
    epoch int,
    ticket bigint,
    issued_at timestamptz,
    expires_at timestamptz,
    issued_day date NOT NULL,
    known_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    entered_by text,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'held', 'redeemed', 'paid', 'void')),
    holder int,
    holder_epoch int,
    holder_claim bigint,
    settled_at timestamptz,
    settled_day date,
    settled_by text,
    CHECK ((state IN ('redeemed', 'paid', 'void')) = (settled_at IS NOT NULL)),
    CHECK ((settled_at IS NULL) = (settled_day IS NULL)),
    CHECK ((state IN ('held', 'redeemed')) = (holder IS NOT NULL)),
    CHECK ((holder IS NULL) = (holder_claim IS NULL) AND (holder IS NULL) = (holder_epoch IS NULL))
) WITH (fillfactor = 80);
COMMENT ON COLUMN venue.ticket.serial IS 'names it where its number is not shown: whoever reads that could print it';
COMMENT ON COLUMN venue.ticket.cabinet IS 'who printed it; NULL until that cabinet has said so';
COMMENT ON COLUMN venue.ticket.ticket IS 'its number in that cabinet''s own list';
COMMENT ON COLUMN venue.ticket.expires_at IS 'as printed on it, by the cabinet''s clock; NULL for never';
COMMENT ON COLUMN venue.ticket.holder IS 'whose claim holds or has redeemed it; holder_epoch and holder_claim name the claim';
CREATE INDEX ticket_open ON venue.ticket (known_at) WHERE state IN ('open', 'held');
CREATE INDEX ticket_cabinet ON venue.ticket (cabinet, ticket);
CREATE INDEX ticket_issued ON venue.ticket (issued_day);
CREATE INDEX ticket_settled ON venue.ticket (settled_day) WHERE settled_day IS NOT NULL;

-- A ticket keeps number and worth, and ends once.
CREATE FUNCTION venue.ticket_ends_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (NEW.number, NEW.cents, NEW.issued_day) = (OLD.number, OLD.cents, OLD.issued_day)
       AND (OLD.settled_at IS NULL OR (NEW.state, NEW.settled_at, NEW.settled_day) =
                                      (OLD.state, OLD.settled_at, OLD.settled_day)) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'ticket …% keeps its worth and ends once: % refused', right(OLD.number, 4), TG_OP USING ERRCODE = '55000';
END $$;
CREATE TRIGGER ends_once BEFORE UPDATE OR DELETE ON venue.ticket
    FOR EACH ROW EXECUTE FUNCTION venue.ticket_ends_once();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON venue.ticket EXECUTE FUNCTION venue.unchanged();
CREATE TRIGGER not_moved BEFORE INSERT OR UPDATE ON venue.ticket EXECUTE FUNCTION venue.not_moved();

-- What each cabinet has asked, by its own key. The key is answered once, also where the end arrives before the question.
CREATE TABLE venue.ticket_claim (
    cabinet int NOT NULL REFERENCES venue.cabinet,
    epoch int NOT NULL,
    claim bigint NOT NULL CHECK (claim > 0),
    number text NOT NULL CHECK (length(number) BETWEEN 1 AND 24),
    state text NOT NULL CHECK (state IN ('asked', 'refused', 'held', 'redeemed', 'released', 'void')),
    answer text,
    cents bigint,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    PRIMARY KEY (cabinet, epoch, claim)
) WITH (fillfactor = 80);
CREATE INDEX ticket_claim_number ON venue.ticket_claim (number);

-- What a person must look into: one number on two tickets, a ticket that was paid once more, or one that a cabinet held
-- when it was retired as not trusted.
CREATE TABLE venue.ticket_trouble (
    trouble bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('clash', 'twice', 'distrusted')),
    number text NOT NULL,
    cabinet int NOT NULL,
    epoch int NOT NULL,
    claim bigint NOT NULL,
    cents bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (kind, number, cabinet, epoch, claim)
);
COMMENT ON COLUMN venue.ticket_trouble.claim IS 'the cabinet''s claim that paid once more; for a clash its own number of the ticket';
CREATE TRIGGER unchanged BEFORE UPDATE OR DELETE ON venue.ticket_trouble
    FOR EACH ROW EXECUTE FUNCTION venue.unchanged();

-- Numbers that were worth nothing when somebody tried them.
CREATE TABLE venue.ticket_try (
    try bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    cabinet int,
    by text,
    number text NOT NULL,
    answer text NOT NULL,
    CHECK ((cabinet IS NULL) <> (by IS NULL))
);
CREATE INDEX ticket_try_at ON venue.ticket_try (at);

INSERT INTO venue.alarm_rule (code, source, severity, figure, escalate_after) VALUES
    ('ticket_twice', 'call', 'warning', NULL, '30 min'),
    ('ticket_expired', 'call', 'info', NULL, NULL),
    ('ticket_unknown', 'call', 'warning', 5, '30 min'),
    ('ticket_held', 'call', 'warning', 900, '1 hour'),
    ('ticket_clash', 'call', 'critical', NULL, '15 min'),
    ('ticket_paid_twice', 'call', 'critical', NULL, '15 min');

-- What anybody may read of the number of a ticket that is not redeemed.
CREATE FUNCTION venue.masked(p_number text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '…' || right(p_number, 4) $$;

CREATE FUNCTION venue.tickets_recover() RETURNS bool
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
    SELECT venue.has_moved() OR EXISTS (SELECT FROM venue.recovery r WHERE r.opened_at IS NULL)
$$;

-- What a ticket is worth now: `open`, or why it is worth nothing. One that a cabinet has printed which is not trusted is
-- held for two people, who enter it by opening it again.
CREATE FUNCTION venue.worth_of(p_ticket venue.ticket) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_ticket.number IS NULL THEN 'unknown'
                WHEN p_ticket.state IN ('redeemed', 'paid') THEN 'redeemed'
                WHEN p_ticket.state <> 'open' THEN p_ticket.state
                WHEN p_ticket.expires_at <= clock_timestamp() THEN 'expired'
                WHEN p_ticket.entered_by IS NULL AND EXISTS (
                    SELECT FROM venue.cabinet k WHERE k.cabinet = p_ticket.cabinet AND k.distrusted) THEN 'held'
                ELSE 'open' END
$$;

-- How many unknown numbers a cabinet or a person has tried in the last ten minutes.
CREATE FUNCTION venue.unknown_tries(p_cabinet int, p_by text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT count(DISTINCT t.number) FROM venue.ticket_try t
    WHERE t.at > clock_timestamp() - interval '10 min' AND t.answer = 'unknown'
      AND t.cabinet IS NOT DISTINCT FROM p_cabinet AND t.by IS NOT DISTINCT FROM p_by
$$;

-- Keeps a try that was refused, and alarms where its rule says so.
CREATE FUNCTION venue.ticket_tried(p_number text, p_answer text, p_cabinet int, p_by text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    found jsonb := jsonb_strip_nulls(jsonb_build_object('ticket', CASE p_answer WHEN 'redeemed' THEN p_number ELSE venue.masked(p_number) END, 'by', p_by));
    tries bigint;
BEGIN
    INSERT INTO venue.ticket_try (cabinet, by, number, answer) VALUES (p_cabinet, p_by, p_number, p_answer);
    IF p_answer = 'redeemed' THEN
        PERFORM venue.raise_alarm('ticket_twice', p_cabinet, 'ticket_twice ' || p_number, found);
    ELSIF p_answer = 'expired' THEN
        PERFORM venue.raise_alarm('ticket_expired', p_cabinet, 'ticket_expired ' || p_number, found);
    ELSIF p_answer = 'unknown' THEN
        tries := venue.unknown_tries(p_cabinet, p_by);
        IF tries >= (SELECT r.figure FROM venue.alarm_rule r WHERE r.code = 'ticket_unknown') THEN
            PERFORM venue.raise_alarm('ticket_unknown', p_cabinet,
                                      'ticket_unknown ' || coalesce(p_cabinet::text, p_by), found || jsonb_build_object('times', tries));
        END IF;
    END IF;
END $$;

-- Asks for a ticket in escrow: `held` with its worth, which then is this cabinet's until it reports the end, or why not.
CREATE FUNCTION venue.ticket_claim(p_session bigint, p_epoch int, p_claim bigint, p_number text, OUT answer text, OUT cents bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
#variable_conflict use_column
DECLARE
    c venue.cabinet := venue.caller(p_session);
    k venue.ticket_claim;
    t venue.ticket;
BEGIN
    IF p_epoch IS NULL OR p_epoch < 1 OR p_claim IS NULL OR p_claim < 1 OR coalesce(p_number, '') !~ '^[0-9]{1,24}$' THEN
        RAISE EXCEPTION 'ticket_claim: epoch, claim and the number of a ticket are needed' USING ERRCODE = '22023';
    ELSIF p_epoch > c.epoch THEN
        PERFORM venue.refuse(c.cabinet, 'call', '22023', format('epoch %s ahead of venue, which has %s', p_epoch, c.epoch));
    ELSIF venue.tickets_recover() THEN
        RAISE EXCEPTION 'tickets are not paid while the venue recovers' USING ERRCODE = '55000';
    END IF;
    INSERT INTO venue.ticket_claim AS x (cabinet, epoch, claim, number, state)
    VALUES (c.cabinet, p_epoch, p_claim, p_number, 'asked') ON CONFLICT DO NOTHING RETURNING x.* INTO k;
    IF k.cabinet IS NULL THEN
        SELECT * INTO k FROM venue.ticket_claim x
        WHERE x.cabinet = c.cabinet AND x.epoch = p_epoch AND x.claim = p_claim FOR UPDATE;
        IF k.number <> p_number THEN
            PERFORM venue.refuse(c.cabinet, 'call', '22023', format('claim %s was for ticket %s before', p_claim, venue.masked(k.number)));
        END IF;
        answer := CASE k.state WHEN 'held' THEN 'held' ELSE coalesce(k.answer, 'ended') END;
        cents := CASE k.state WHEN 'held' THEN k.cents END;
        RETURN;
    END IF;
    PERFORM venue.take_in(c.cabinet, 500);
    SELECT * INTO t FROM venue.ticket x WHERE x.number = p_number FOR UPDATE;
    answer := venue.worth_of(t);
    IF answer = 'open' THEN
        answer := 'held';
        cents := t.cents;
        UPDATE venue.ticket x SET state = 'held', holder = c.cabinet, holder_epoch = p_epoch, holder_claim = p_claim
        WHERE x.number = p_number;
        UPDATE venue.ticket_claim x SET state = 'held', cents = t.cents
        WHERE x.cabinet = c.cabinet AND x.epoch = p_epoch AND x.claim = p_claim;
    ELSE
        UPDATE venue.ticket_claim x SET state = 'refused', answer = venue.worth_of(t), ended_at = clock_timestamp()
        WHERE x.cabinet = c.cabinet AND x.epoch = p_epoch AND x.claim = p_claim;
        PERFORM venue.ticket_tried(p_number, answer, c.cabinet, NULL);
    END IF;
END $$;

CREATE FUNCTION venue.ticket_in_trouble(p_kind text, p_number text, p_cabinet int, p_epoch int, p_claim bigint, p_cents bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO venue.ticket_trouble (kind, number, cabinet, epoch, claim, cents)
    VALUES (p_kind, p_number, p_cabinet, p_epoch, p_claim, p_cents) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        PERFORM venue.raise_alarm(CASE p_kind WHEN 'clash' THEN 'ticket_clash' WHEN 'twice' THEN 'ticket_paid_twice' ELSE p_kind END, p_cabinet,
                                  format('ticket_%s %s %s %s %s', p_kind, p_number, p_cabinet, p_epoch, p_claim),
                                  jsonb_build_object('ticket', venue.masked(p_number), 'amount_cents', p_cents));
    END IF;
END $$;

-- Lets go of a held ticket whose claim has ended: it is held for another claim that is live, or open. No claim lives of a
-- cabinet that is not trusted. There is one where
-- this is a restored venue, whose holder had ended before that one was granted.
CREATE FUNCTION venue.let_go_of_ticket(p_number text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    k venue.ticket_claim;
BEGIN
    SELECT * INTO k FROM venue.ticket_claim x WHERE x.number = p_number AND x.state = 'held'
      AND NOT EXISTS (SELECT FROM venue.cabinet c WHERE c.cabinet = x.cabinet AND c.distrusted)
    ORDER BY x.at, x.cabinet, x.epoch, x.claim LIMIT 1;
    UPDATE venue.ticket x
    SET state = CASE WHEN k.cabinet IS NULL THEN 'open' ELSE 'held' END,
        holder = k.cabinet, holder_epoch = k.epoch, holder_claim = k.claim
    WHERE x.number = p_number;
END $$;

-- What has become of a ticket that the cabinet claimed, or took without the venue. A ticket that the venue has not is
-- entered by it: who printed it says so later. A restored venue may have a ticket as held for a claim whose end it lost:
-- a redemption and a void end it whoever holds it, and that claim's end changes nothing any more.
CREATE FUNCTION venue.take_claim(p_cabinet int, p_epoch int, p_claim bigint, p_number text, p_cents bigint, p_state text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    k venue.ticket_claim;
    t venue.ticket;
    mine bool;
    day date := venue.open_day(clock_timestamp());
BEGIN
    INSERT INTO venue.ticket_claim AS x (cabinet, epoch, claim, number, cents, state, ended_at)
    VALUES (p_cabinet, p_epoch, p_claim, p_number, p_cents, p_state, CASE p_state WHEN 'held' THEN NULL ELSE clock_timestamp() END)
    ON CONFLICT (cabinet, epoch, claim) DO UPDATE
    SET state = CASE WHEN x.state IN ('asked', 'held', 'refused') THEN EXCLUDED.state ELSE x.state END,
        cents = coalesce(x.cents, EXCLUDED.cents), ended_at = coalesce(x.ended_at, EXCLUDED.ended_at)
    RETURNING x.* INTO k;
    IF k.number <> p_number THEN
        PERFORM venue.refuse(p_cabinet, 'call', '22023', format('claim %s was for ticket %s before', p_claim, venue.masked(k.number)));
    ELSIF p_number !~ '^[0-9]{18}$' OR (p_state <> 'released' AND p_cents IS NULL) THEN
        RETURN;  -- no ticket of this venue's: it was refused, and the player has it again
    ELSIF p_state <> 'redeemed' AND k.state <> p_state THEN
        RETURN;  -- the key has ended otherwise: only money that was credited is heard all the same
    END IF;
    IF p_state <> 'released' THEN
        INSERT INTO venue.ticket AS x (number, cents, issued_day, state, holder, holder_epoch, holder_claim, settled_at,
                                       settled_day, settled_by)
        VALUES (p_number, p_cents, day, p_state, CASE WHEN p_state <> 'void' THEN p_cabinet END,
                CASE WHEN p_state <> 'void' THEN p_epoch END, CASE WHEN p_state <> 'void' THEN p_claim END,
                CASE WHEN p_state <> 'held' THEN clock_timestamp() END, CASE WHEN p_state <> 'held' THEN day END,
                CASE WHEN p_state = 'void' THEN 'cabinet ' || p_cabinet END)
        ON CONFLICT DO NOTHING;
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    SELECT * INTO t FROM venue.ticket x WHERE x.number = p_number FOR UPDATE;
    mine := coalesce((t.holder, t.holder_epoch, t.holder_claim) = (p_cabinet, p_epoch, p_claim), false);
    IF t.settled_at IS NOT NULL THEN
        IF p_state = 'redeemed' AND NOT mine THEN
            PERFORM venue.ticket_in_trouble('twice', p_number, p_cabinet, p_epoch, p_claim, p_cents);
        END IF;
    ELSIF p_state = 'held' AND t.state = 'open' THEN
        UPDATE venue.ticket x SET state = 'held', holder = p_cabinet, holder_epoch = p_epoch, holder_claim = p_claim
        WHERE x.number = p_number;
    ELSIF p_state = 'released' AND mine THEN
        PERFORM venue.let_go_of_ticket(p_number);
    ELSIF p_state = 'void' THEN
        UPDATE venue.ticket x
        SET state = 'void', holder = NULL, holder_epoch = NULL, holder_claim = NULL, settled_at = clock_timestamp(),
            settled_day = day, settled_by = 'cabinet ' || p_cabinet
        WHERE x.number = p_number;
    ELSIF p_state = 'redeemed' THEN
        UPDATE venue.ticket x
        SET state = 'redeemed', holder = p_cabinet, holder_epoch = p_epoch, holder_claim = p_claim,
            settled_at = clock_timestamp(), settled_day = day
        WHERE x.number = p_number;
    END IF;
END $$;

-- Facts about tickets, in any order and however often: `issue` and `claim` rows. They are taken in the order of their
-- numbers, so that two cabinets never wait for each other, and each ticket's own row first: it has the day of printing.
CREATE FUNCTION venue.tickets(p_session bigint, p_rows jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
    r record;
    t venue.ticket;
BEGIN
    PERFORM venue.check_rows(c.cabinet, p_rows, 500, 4194304);
    -- The lock of `close_month`: a month is closed before this call's days are decided, or after.
    LOCK TABLE venue.day_meter IN ROW EXCLUSIVE MODE;
    FOR r IN
        SELECT x ->> 'kind' AS kind, x ->> 'number' AS number, (x ->> 'cents')::bigint AS cents, (x ->> 'epoch')::int AS epoch,
               (x ->> 'claim')::bigint AS claim, x ->> 'state' AS state, (x ->> 'ticket')::bigint AS ticket,
               x -> 'issued_ms' AS issued_ms, nullif(x -> 'expires_ms', 'null') AS expires_ms
        FROM jsonb_array_elements(p_rows) x ORDER BY x ->> 'number', x ->> 'kind' DESC, (x ->> 'claim')::bigint
    LOOP
        IF r.kind = 'claim' AND r.number ~ '^[0-9]{1,24}$' AND r.epoch >= 1 AND r.claim >= 1
           AND r.state IN ('held', 'redeemed', 'released', 'void')
           AND (r.cents BETWEEN 1 AND 1000000000 OR (r.cents IS NULL AND r.state = 'released')) THEN
            IF r.epoch > c.epoch THEN
                PERFORM venue.refuse(c.cabinet, 'call', '22023',
                                     format('epoch %s ahead of venue, which has %s', r.epoch, c.epoch));
            END IF;
            PERFORM venue.take_claim(c.cabinet, r.epoch, r.claim, r.number, r.cents, r.state);
        ELSIF r.kind = 'issue' AND r.number ~ '^[0-9]{18}$' AND r.epoch >= 1 AND r.ticket >= 1
              AND r.cents BETWEEN 1 AND 1000000000 THEN
            INSERT INTO venue.ticket AS x (number, cents, cabinet, epoch, ticket, issued_at, expires_at, issued_day)
            VALUES (r.number, r.cents, c.cabinet, r.epoch, r.ticket, venue.at_ms(r.issued_ms),
                    CASE WHEN r.expires_ms IS NOT NULL THEN venue.at_ms(r.expires_ms) END,
                    (SELECT d.day FROM venue.day_of(c.cabinet, venue.at_ms(r.issued_ms)) d))
            ON CONFLICT DO NOTHING;
            CONTINUE WHEN FOUND;
            SELECT * INTO t FROM venue.ticket x WHERE x.number = r.number FOR UPDATE;
            IF t.cents <> r.cents OR t.issued_at <> venue.at_ms(r.issued_ms) THEN
                PERFORM venue.ticket_in_trouble('clash', r.number, c.cabinet, r.epoch, r.ticket, r.cents);
            ELSIF t.cabinet IS NULL THEN
                UPDATE venue.ticket x
                SET cabinet = c.cabinet, epoch = r.epoch, ticket = r.ticket, issued_at = venue.at_ms(r.issued_ms),
                    expires_at = coalesce(x.expires_at, CASE WHEN r.expires_ms IS NOT NULL THEN venue.at_ms(r.expires_ms) END)
                WHERE x.number = r.number;
                -- Held or voided with a claim of a cabinet that is not trusted, when nobody had said that it was printed.
                IF t.state IN ('held', 'void') AND EXISTS (SELECT FROM venue.ticket_claim k JOIN venue.cabinet d USING (cabinet)
                                                WHERE k.number = r.number AND d.distrusted) THEN
                    PERFORM venue.ticket_in_trouble('distrusted', r.number, c.cabinet, r.epoch, r.ticket, r.cents);
                END IF;
            END IF;
        ELSE
            PERFORM venue.refuse(c.cabinet, 'call', '22023', format('tickets: %s is no ticket and no claim', left((to_jsonb(r) - 'number')::text, 300)));
        END IF;
    END LOOP;
END $$;

GRANT EXECUTE ON FUNCTION venue.ticket_claim(bigint, int, bigint, text), venue.tickets TO cabinets;
