-- Tickets on the page: the cashier pays one, two people do what is out of the ordinary, and the days' sums.
SET LOCAL ROLE venue_owner;

-- What a cashier paid. The key is the form's own, so that a form sent twice pays once.
CREATE TABLE venue.ticket_payment (
    payment bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    number text NOT NULL UNIQUE REFERENCES venue.ticket,
    key text NOT NULL UNIQUE CHECK (length(key) BETWEEN 8 AND 64),
    cents bigint NOT NULL CHECK (cents > 0),
    by text NOT NULL CHECK (by <> ''),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    day date NOT NULL,
    slips int NOT NULL DEFAULT 0
);
COMMENT ON COLUMN venue.ticket_payment.slips IS 'how often its slip was shown: all but the first are copies';
CREATE INDEX ticket_payment_day ON venue.ticket_payment (day);

CREATE TABLE venue.ticket_proposal (
    proposal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    act text NOT NULL CHECK (act IN ('void', 'reopen', 'extend', 'enter')),
    number text NOT NULL CHECK (number ~ '^[0-9]{18}$'),
    cents bigint NOT NULL CHECK (cents BETWEEN 1 AND 1000000000),
    reason text NOT NULL CHECK (reason <> ''),
    proposed_by text NOT NULL CHECK (proposed_by <> ''),
    proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    holder int,
    holder_epoch int,
    holder_claim bigint,
    state text NOT NULL DEFAULT 'proposed' CHECK (state IN ('proposed', 'approved', 'rejected')),
    decided_by text,
    decided_at timestamptz,
    CONSTRAINT two_people CHECK (state <> 'approved' OR (decided_by IS NOT NULL AND decided_by <> proposed_by))
);
COMMENT ON COLUMN venue.ticket_proposal.act IS
    'void: worth nothing any more; reopen: its holder will not report; extend: expired, a day more; enter: not in the books';
COMMENT ON COLUMN venue.ticket_proposal.holder IS 'whose claim held the ticket then: the act is about no other one';
CREATE UNIQUE INDEX one_ticket_proposal ON venue.ticket_proposal (number) WHERE state = 'proposed';

-- Whether a person has tried so many unknown numbers that nothing is answered any more: ten, or twice what alarms.
CREATE FUNCTION venue.tries_too_much(p_by text) RETURNS bool LANGUAGE sql STABLE AS $$
    SELECT venue.unknown_tries(NULL, p_by) >=
           greatest(10, 2 * (SELECT r.figure FROM venue.alarm_rule r WHERE r.code = 'ticket_unknown'))
$$;

-- What a number is worth, as a person asks: `open`, or why nothing. `wait` after too many unknown numbers. With p_presented
-- somebody has handed the ticket in, and one that is worth nothing is kept as a try; an unknown number always is.
CREATE FUNCTION venue.look_up_ticket(p_number text, p_presented bool, p_by text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    t venue.ticket;
    answer text;
BEGIN
    IF coalesce(p_number, '') !~ '^[0-9]{1,24}$' OR coalesce(p_by, '') = '' THEN
        RAISE EXCEPTION 'a ticket''s number has 18 digits' USING ERRCODE = '22023';
    ELSIF venue.tries_too_much(p_by) THEN
        RETURN 'wait';
    END IF;
    SELECT * INTO t FROM venue.ticket x WHERE x.number = p_number;
    answer := venue.worth_of(t);
    IF answer = 'unknown' OR (p_presented AND answer IN ('redeemed', 'expired')) THEN
        PERFORM venue.ticket_tried(p_number, answer, NULL, p_by);
    END IF;
    RETURN answer;
END $$;

-- Pays an open ticket in cash. The same key is answered with the same payment; `answer` is `paid`, or why nothing was.
CREATE FUNCTION venue.pay_ticket(p_number text, p_cents bigint, p_key text, p_by text, OUT answer text, OUT payment bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
#variable_conflict use_column
DECLARE
    t venue.ticket;
    known venue.ticket_payment;
    today date;
BEGIN
    LOCK TABLE venue.day_meter IN ROW EXCLUSIVE MODE;
    SELECT * INTO t FROM venue.ticket x WHERE x.number = p_number FOR UPDATE;
    SELECT * INTO known FROM venue.ticket_payment x WHERE x.key = p_key;
    IF known.payment IS NOT NULL THEN
        IF known.number <> p_number THEN
            RAISE EXCEPTION 'this form has paid another ticket' USING ERRCODE = '22023';
        END IF;
        answer := 'paid';
        payment := known.payment;
        RETURN;
    END IF;
    IF venue.tickets_recover() THEN
        answer := 'recovering';
        RETURN;
    ELSIF venue.tries_too_much(p_by) THEN
        answer := 'wait';
        RETURN;
    END IF;
    answer := venue.worth_of(t);
    IF answer = 'open' AND t.cents IS DISTINCT FROM p_cents THEN
        answer := 'other_amount';
    END IF;
    IF answer <> 'open' THEN
        PERFORM venue.ticket_tried(p_number, answer, NULL, p_by);
        RETURN;
    END IF;
    today := venue.open_day(clock_timestamp());
    INSERT INTO venue.ticket_payment AS x (number, key, cents, by, day) VALUES (p_number, p_key, t.cents, p_by, today)
    RETURNING x.payment INTO payment;
    UPDATE venue.ticket x SET state = 'paid', settled_at = clock_timestamp(), settled_day = today, settled_by = p_by
    WHERE x.number = p_number;
    PERFORM venue.note(p_by, 'ticket paid', t.cabinet,
                       jsonb_build_object('ticket', p_number, 'amount_cents', t.cents, 'payment', payment));
    answer := 'paid';
END $$;

-- Counts a slip of a payment; the first is the original.
CREATE FUNCTION venue.count_ticket_slip(p_payment bigint, p_by text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    made int;
BEGIN
    UPDATE venue.ticket_payment p SET slips = p.slips + 1 WHERE p.payment = p_payment RETURNING p.slips INTO made;
    IF made IS NULL THEN
        RAISE EXCEPTION 'there is no payment %', p_payment USING ERRCODE = '22023';
    ELSIF made > 1 THEN
        PERFORM venue.note(p_by, 'ticket slip copied', NULL, jsonb_build_object('payment', p_payment, 'copy', made - 1));
    END IF;
    RETURN made;
END $$;

-- Whether an act may be done to a ticket as it is.
CREATE FUNCTION venue.ticket_act_fits(p_act text, p_ticket venue.ticket) RETURNS bool LANGUAGE sql STABLE AS $$
    SELECT CASE p_act
        WHEN 'void' THEN venue.worth_of(p_ticket) IN ('open', 'expired', 'held')
        WHEN 'reopen' THEN venue.worth_of(p_ticket) = 'held'
        WHEN 'extend' THEN venue.worth_of(p_ticket) = 'expired'
        WHEN 'enter' THEN venue.worth_of(p_ticket) = 'unknown'
        ELSE false END
$$;

CREATE FUNCTION venue.propose_ticket_act(p_act text, p_number text, p_cents bigint, p_reason text, p_by text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    t venue.ticket;
    made bigint;
BEGIN
    SELECT * INTO t FROM venue.ticket x WHERE x.number = p_number FOR UPDATE;
    IF NOT venue.ticket_act_fits(p_act, t) THEN
        RAISE EXCEPTION 'ticket % is %: this cannot be done', venue.masked(p_number), venue.worth_of(t) USING ERRCODE = '55000';
    ELSIF EXISTS (SELECT FROM venue.ticket_proposal x WHERE x.number = p_number AND x.state = 'proposed') THEN
        RAISE EXCEPTION 'ticket % waits for a second person already', venue.masked(p_number) USING ERRCODE = '55000';
    END IF;
    INSERT INTO venue.ticket_proposal (act, number, cents, reason, proposed_by, holder, holder_epoch, holder_claim)
    VALUES (p_act, p_number, coalesce(t.cents, p_cents), p_reason, p_by, t.holder, t.holder_epoch, t.holder_claim) RETURNING proposal INTO made;
    PERFORM venue.note(p_by, 'ticket act proposed', t.cabinet, jsonb_build_object(
        'proposal', made, 'act', p_act, 'ticket', venue.masked(p_number), 'amount_cents', coalesce(t.cents, p_cents), 'reason', p_reason));
    RETURN made;
END $$;

CREATE FUNCTION venue.decide_ticket_act(p_proposal bigint, p_approve bool, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    a venue.ticket_proposal;
    t venue.ticket;
    today date;
BEGIN
    LOCK TABLE venue.day_meter IN ROW EXCLUSIVE MODE;
    SELECT * INTO a FROM venue.ticket_proposal x WHERE x.proposal = p_proposal FOR UPDATE;
    IF a.state IS DISTINCT FROM 'proposed' THEN
        RAISE EXCEPTION 'proposal % is not waiting for a decision', p_proposal USING ERRCODE = '55000';
    ELSIF p_approve AND a.proposed_by = p_by THEN
        RAISE EXCEPTION 'another person than % approves this', p_by USING ERRCODE = '42501';
    END IF;
    UPDATE venue.ticket_proposal x
    SET state = CASE WHEN p_approve THEN 'approved' ELSE 'rejected' END, decided_by = p_by, decided_at = clock_timestamp()
    WHERE x.proposal = p_proposal;
    IF p_approve THEN
        -- The claim before its ticket, as cabinets lock them.
        PERFORM FROM venue.ticket_claim k JOIN venue.ticket x
            ON (k.cabinet, k.epoch, k.claim) = (x.holder, x.holder_epoch, x.holder_claim)
        WHERE x.number = a.number FOR UPDATE OF k;
        SELECT * INTO t FROM venue.ticket x WHERE x.number = a.number FOR UPDATE;
        IF NOT venue.ticket_act_fits(a.act, t) THEN
            RAISE EXCEPTION 'ticket % is % now: reject this', venue.masked(a.number), venue.worth_of(t) USING ERRCODE = '55000';
        ELSIF (a.holder, a.holder_epoch, a.holder_claim) IS DISTINCT FROM (t.holder, t.holder_epoch, t.holder_claim) THEN
            RAISE EXCEPTION 'ticket % was put in or given back since: reject this', venue.masked(a.number) USING ERRCODE = '55000';
        END IF;
        today := venue.open_day(clock_timestamp());
        CASE a.act
            WHEN 'void' THEN
                UPDATE venue.ticket x
                SET state = 'void', holder = NULL, holder_epoch = NULL, holder_claim = NULL, settled_at = clock_timestamp(),
                    settled_day = today, settled_by = p_by
                WHERE x.number = a.number;
            WHEN 'reopen' THEN
                UPDATE venue.ticket_claim x SET state = 'released', ended_at = clock_timestamp()
                WHERE (x.cabinet, x.epoch, x.claim) = (t.holder, t.holder_epoch, t.holder_claim);
                PERFORM venue.let_go_of_ticket(a.number);
                UPDATE venue.ticket x SET entered_by = coalesce(x.entered_by, p_by) WHERE x.number = a.number
                  AND EXISTS (SELECT FROM venue.cabinet k WHERE k.cabinet = t.cabinet AND k.distrusted);
            WHEN 'extend' THEN
                UPDATE venue.ticket x SET expires_at = clock_timestamp() + interval '1 day' WHERE x.number = a.number;
            WHEN 'enter' THEN
                INSERT INTO venue.ticket (number, cents, issued_day, entered_by) VALUES (a.number, a.cents, today, p_by);
        END CASE;
    END IF;
    PERFORM venue.note(p_by, CASE WHEN p_approve THEN 'ticket act approved' ELSE 'ticket act rejected' END, t.cabinet,
                       jsonb_build_object('proposal', p_proposal, 'act', a.act, 'ticket', venue.masked(a.number), 'amount_cents', a.cents));
END $$;

-- A restored venue lacks what was paid since the backup and is in no cabinet's books: a person enters it from the paper
-- that the cashier, or the cash box of a lost cabinet, has. Only before the pools are opened.
CREATE FUNCTION venue.enter_paid_ticket(p_number text, p_cents bigint, p_reason text, p_by text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    t venue.ticket;
    today date;
    made bigint;
BEGIN
    LOCK TABLE venue.day_meter IN ROW EXCLUSIVE MODE;
    IF NOT venue.tickets_recover() THEN
        RAISE EXCEPTION 'the venue does not recover: pay the ticket, or propose to void it' USING ERRCODE = '55000';
    ELSIF coalesce(p_reason, '') = '' THEN
        RAISE EXCEPTION 'a reason is needed' USING ERRCODE = '22023';
    END IF;
    today := venue.open_day(clock_timestamp());
    INSERT INTO venue.ticket (number, cents, issued_day, entered_by) VALUES (p_number, p_cents, today, p_by) ON CONFLICT DO NOTHING;
    SELECT * INTO t FROM venue.ticket x WHERE x.number = p_number FOR UPDATE;
    IF t.cents <> p_cents OR venue.worth_of(t) NOT IN ('open', 'expired', 'held') THEN
        RAISE EXCEPTION 'ticket % is % and was printed for % cents', venue.masked(p_number), venue.worth_of(t), t.cents USING ERRCODE = '55000';
    END IF;
    INSERT INTO venue.ticket_payment (number, key, cents, by, day)
    VALUES (p_number, gen_random_uuid()::text, p_cents, p_by, today) RETURNING payment INTO made;
    UPDATE venue.ticket x
    SET state = 'paid', holder = NULL, holder_epoch = NULL, holder_claim = NULL, settled_at = clock_timestamp(),
        settled_day = today, settled_by = p_by
    WHERE x.number = p_number;
    PERFORM venue.note(p_by, 'paid ticket entered', t.cabinet,
                       jsonb_build_object('ticket', p_number, 'amount_cents', p_cents, 'payment', made, 'reason', p_reason));
    RETURN made;
END $$;

-- Alarms about tickets that wait for a cabinet's end too long, once each, but for one that is not trusted: its tickets wait
-- for a person, or are voided. And the end of tries that nobody asks for.
CREATE FUNCTION venue.watch_tickets() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    found int;
BEGIN
    -- Of a cabinet that has made up more than anybody reads, alarm_flood says so: no round looks at all of them.
    SELECT count(venue.raise_alarm('ticket_held', x.holder, x.key, x.detail)) INTO found FROM (
        SELECT t.holder, format('%s %s %s %s', r.code, t.number, t.holder_epoch, t.holder_claim) AS key,
               jsonb_build_object('ticket', venue.masked(t.number), 'since', k.at) AS detail
        FROM venue.alarm_rule r, venue.ticket t
        JOIN venue.ticket_claim k ON (k.cabinet, k.epoch, k.claim) = (t.holder, t.holder_epoch, t.holder_claim)
        WHERE r.code = 'ticket_held' AND r.enabled AND t.state = 'held'
          AND k.at < clock_timestamp() - make_interval(secs => coalesce(r.figure, 900))
          AND t.holder = ANY (ARRAY(SELECT c.cabinet FROM venue.cabinet c
                                    WHERE NOT c.distrusted AND NOT venue.is_flooding(c.cabinet)))
          AND NOT EXISTS (SELECT FROM venue.alarm a
                          WHERE a.key = format('%s %s %s %s', r.code, t.number, t.holder_epoch, t.holder_claim))
        LIMIT 1000) x;
    PERFORM venue.void_unvouched(500);
    DELETE FROM venue.ticket_try t WHERE t.at < clock_timestamp() - interval '24 months';
    RETURN found;
END $$;

-- What each day's tickets add up to: open before + printed - taken by cabinets - paid - void = open at its end.
CREATE FUNCTION venue.ticket_days(p_since date, p_until date) RETURNS TABLE (
    day date, open_before bigint, issued bigint, redeemed bigint, paid bigint, void bigint, open_after bigint, expired bigint
) LANGUAGE sql STABLE AS $$
    WITH moved AS (
        SELECT t.issued_day AS day, t.cents AS issued, 0 AS redeemed, 0 AS paid, 0 AS void FROM venue.ticket t
        UNION ALL
        SELECT t.settled_day, 0, CASE t.state WHEN 'redeemed' THEN t.cents ELSE 0 END,
               CASE t.state WHEN 'paid' THEN t.cents ELSE 0 END, CASE t.state WHEN 'void' THEN t.cents ELSE 0 END
        FROM venue.ticket t WHERE t.settled_day IS NOT NULL
    ), sums AS (
        SELECT d::date AS day, coalesce(sum(m.issued) FILTER (WHERE m.day = d::date), 0)::bigint AS issued,
               coalesce(sum(m.redeemed) FILTER (WHERE m.day = d::date), 0)::bigint AS redeemed,
               coalesce(sum(m.paid) FILTER (WHERE m.day = d::date), 0)::bigint AS paid,
               coalesce(sum(m.void) FILTER (WHERE m.day = d::date), 0)::bigint AS void
        FROM generate_series(p_since, p_until, interval '1 day') d LEFT JOIN moved m ON m.day = d::date GROUP BY d
    ), before AS (
        SELECT coalesce(sum(m.issued - m.redeemed - m.paid - m.void), 0)::bigint AS cents FROM moved m WHERE m.day < p_since
    ), running AS (
        SELECT s.*, b.cents + sum(s.issued - s.redeemed - s.paid - s.void) OVER (ORDER BY s.day) AS open_after
        FROM sums s, before b
    )
    SELECT r.day, (r.open_after - r.issued + r.redeemed + r.paid + r.void)::bigint, r.issued, r.redeemed, r.paid, r.void,
           r.open_after::bigint,
           coalesce((SELECT sum(t.cents) FROM venue.ticket t
                     WHERE t.issued_day <= r.day AND (t.settled_day IS NULL OR t.settled_day > r.day)
                       AND (t.expires_at AT TIME ZONE coalesce((SELECT timezone FROM venue.site), 'UTC'))::date <= r.day), 0)::bigint
    FROM running r ORDER BY r.day
$$;

GRANT EXECUTE ON FUNCTION venue.worth_of, venue.tickets_recover, venue.look_up_ticket, venue.pay_ticket,
    venue.count_ticket_slip, venue.propose_ticket_act, venue.decide_ticket_act, venue.enter_paid_ticket,
    venue.watch_tickets, venue.ticket_days TO venue_page;
