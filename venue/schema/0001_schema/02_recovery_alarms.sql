-- What recovering pools need, and alarms.
SET LOCAL ROLE venue_owner;

-- A recovery: from a restored older backup until an operator opens the pools.
CREATE TABLE venue.recovery (
    recovery int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reason text NOT NULL,
    began_by text NOT NULL,
    began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    opened_by text,
    opened_at timestamptz,
    word_of int
);
COMMENT ON COLUMN venue.recovery.word_of IS
    'the cabinet that is all there is for it: no person and no other cabinet says that the venue was set back';
CREATE UNIQUE INDEX one_open_recovery ON venue.recovery ((opened_at IS NULL)) WHERE opened_at IS NULL;
-- Who owes a report, with what the venue knew of it; the references are left out, as their locks meet those of a hello.
CREATE TABLE venue.recovery_cabinet (
    recovery int NOT NULL REFERENCES venue.recovery,
    cabinet int NOT NULL,
    epoch int,
    retired bool NOT NULL,
    PRIMARY KEY (recovery, cabinet)
);
COMMENT ON COLUMN venue.recovery_cabinet.epoch IS
    'the cabinet''s epoch in the backup: only a report in this epoch is of the same books. NULL where the backup lacks it';
CREATE TABLE venue.recovery_pool (
    recovery int NOT NULL REFERENCES venue.recovery,
    pool int NOT NULL,
    hits bigint NOT NULL,
    seed bigint NOT NULL,
    next_seed bigint,
    PRIMARY KEY (recovery, pool)
);
CREATE TABLE venue.recovery_report (
    recovery int NOT NULL REFERENCES venue.recovery,
    cabinet int NOT NULL REFERENCES venue.cabinet,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seqs jsonb,
    whole bool NOT NULL DEFAULT false,
    written_off_by text,
    reason text,
    PRIMARY KEY (recovery, cabinet)
);
COMMENT ON COLUMN venue.recovery_report.seqs IS 'what the cabinet said it has; NULL until it has reported';
COMMENT ON COLUMN venue.recovery_report.whole IS
    'reported during the recovery, in the epoch of the backup: whatever it was paid since is given back';
-- Hits as a person entered them: nobody was paid (award NULL), or a cabinet whose books are lost. A claim that comes back
-- with the same figures takes its place (view venue.hit); so does one of an older copy of those books, which asks for
-- the round anew.
CREATE TABLE venue.lost_hit (
    pool int NOT NULL REFERENCES venue.pool,
    hit bigint NOT NULL CHECK (hit > 0),
    seed bigint NOT NULL,
    award bigint CHECK (award >= seed),
    cabinet int,
    round bigint,
    by text NOT NULL,
    reason text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (pool, hit),
    CHECK ((cabinet IS NULL) = (round IS NULL))
);
COMMENT ON COLUMN venue.lost_hit.round IS 'the round that was paid, as far as the slip or the alarm names it';
CREATE TRIGGER unchanged BEFORE UPDATE OR DELETE ON venue.lost_hit FOR EACH ROW EXECUTE FUNCTION venue.unchanged();

-- An adjustment adds to a pool (or takes from it) when a second person approves it.
CREATE TABLE venue.adjustment (
    adjustment bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pool int NOT NULL REFERENCES venue.pool,
    amount bigint NOT NULL CHECK (amount <> 0),
    reason text NOT NULL CHECK (reason <> ''),
    proposed_by text NOT NULL CHECK (proposed_by <> ''),
    proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    state text NOT NULL DEFAULT 'proposed' CHECK (state IN ('proposed', 'approved', 'rejected')),
    decided_by text,
    decided_at timestamptz,
    CONSTRAINT two_people CHECK (state <> 'approved' OR (decided_by IS NOT NULL AND decided_by <> proposed_by))
);
COMMENT ON COLUMN venue.adjustment.amount IS 'in 1/1000 cent: more than 0 adds to the pool';
CREATE FUNCTION venue.decided_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.state = 'proposed'
       AND (NEW.pool, NEW.amount, NEW.proposed_by) = (OLD.pool, OLD.amount, OLD.proposed_by) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'adjustment % is decided: % refused', OLD.adjustment, TG_OP USING ERRCODE = '55000';
END $$;
CREATE TRIGGER decided_once BEFORE UPDATE OR DELETE ON venue.adjustment
    FOR EACH ROW EXECUTE FUNCTION venue.decided_once();
-- Paid claims that came back too late, or under a number that another claim has; an adjustment settles each.
CREATE TABLE venue.late_claim (
    cabinet int NOT NULL REFERENCES venue.cabinet,
    epoch int NOT NULL,
    round bigint NOT NULL,
    number int NOT NULL,
    pool int NOT NULL,
    hit bigint NOT NULL,
    seed bigint NOT NULL,
    award bigint NOT NULL,
    reason text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    adjustment bigint REFERENCES venue.adjustment,
    PRIMARY KEY (cabinet, epoch, round, number)
);

-- Rules say which troubles and events alarm. `event` rules name an event's code; `trouble` rules a row of the view
-- venue.trouble; `call` rules are raised by a cabinet's call.
CREATE TABLE venue.alarm_rule (
    code text PRIMARY KEY,
    source text NOT NULL CHECK (source IN ('trouble', 'event', 'call')),
    severity text NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    enabled bool NOT NULL DEFAULT true,
    figure bigint,
    hours_from time,
    hours_to time,
    escalate_after interval
);
COMMENT ON COLUMN venue.alarm_rule.figure IS 'the limit that the rule names: seconds, degrees, percent, MB, ms';
COMMENT ON COLUMN venue.alarm_rule.hours_from IS 'with hours_to: alarms only between these times of the venue''s day';
CREATE TABLE venue.alarm (
    alarm bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL,
    code text NOT NULL REFERENCES venue.alarm_rule,
    cabinet int REFERENCES venue.cabinet,
    severity text NOT NULL,
    lasting bool NOT NULL,
    detail jsonb NOT NULL DEFAULT '{}',
    times int NOT NULL DEFAULT 1,
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    over_at timestamptz,
    acknowledged_by text,
    acknowledged_at timestamptz,
    remark text,
    escalation int NOT NULL DEFAULT 0,
    escalated_at timestamptz
);
COMMENT ON COLUMN venue.alarm.lasting IS 'over when its trouble is; others are over when acknowledged';
CREATE UNIQUE INDEX one_open_alarm ON venue.alarm (key) WHERE over_at IS NULL;
CREATE INDEX ON venue.alarm (since);
CREATE INDEX alarm_cabinet ON venue.alarm (cabinet, since);
-- Messages to be sent by the page's worker; one row for each alarm, channel and escalation.
CREATE TABLE venue.alarm_message (
    message bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    alarm bigint NOT NULL REFERENCES venue.alarm,
    channel text NOT NULL,
    escalation int NOT NULL DEFAULT 0,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    sent_at timestamptz,
    tries int NOT NULL DEFAULT 0,
    error text,
    UNIQUE (alarm, channel, escalation)
);

INSERT INTO venue.alarm_rule (code, source, severity, figure, escalate_after) VALUES
    ('link_lost', 'trouble', 'warning', 30, '10 min'),
    ('calls_refused', 'trouble', 'critical', NULL, '10 min'),
    ('chain_refused', 'trouble', 'critical', NULL, '5 min'),
    ('pool_base', 'trouble', 'critical', NULL, '5 min'),
    ('pool_hits', 'trouble', 'critical', NULL, '5 min'),
    ('pool_award', 'trouble', 'critical', NULL, '5 min'),
    ('pool_below_seed', 'trouble', 'critical', NULL, '5 min'),
    ('meter_fell', 'trouble', 'critical', NULL, '5 min'),
    ('recovering', 'trouble', 'critical', NULL, '15 min'),
    ('late_claim', 'trouble', 'critical', NULL, '15 min'),
    ('books_differ', 'trouble', 'critical', NULL, '5 min'),
    ('locked', 'trouble', 'critical', NULL, '5 min'),
    ('software_differs', 'trouble', 'warning', NULL, '1 hour'),
    ('cash_box', 'trouble', 'warning', NULL, '15 min'),
    ('hopper_low', 'trouble', 'warning', NULL, '30 min'),
    ('fault', 'trouble', 'warning', NULL, '15 min'),
    ('clock_off', 'trouble', 'warning', 60000, NULL),
    ('temperature', 'trouble', 'warning', 80, '15 min'),
    ('disk_free', 'trouble', 'warning', 500, '1 hour'),
    ('card_wear', 'trouble', 'warning', 80, NULL),
    ('partition_rest', 'trouble', 'warning', NULL, NULL),
    ('backup_old', 'trouble', 'warning', 48, NULL),
    ('count_difference', 'trouble', 'warning', 0, NULL),
    ('jackpot', 'call', 'info', NULL, '5 min'),
    ('witness_behind', 'call', 'critical', NULL, '5 min'),
    ('witness_beside', 'call', 'critical', NULL, '5 min'),
    ('rebased', 'call', 'critical', NULL, '1 hour'),
    ('fresh_epoch', 'call', 'warning', NULL, '1 hour'),
    ('other_identity', 'call', 'critical', NULL, '15 min'),
    ('offer_failed', 'call', 'warning', NULL, '1 hour'),
    ('alarm_flood', 'trouble', 'critical', NULL, '15 min'),
    ('reading_dated', 'call', 'warning', NULL, '1 hour'),
    ('login_changed', 'call', 'critical', NULL, '15 min'),
    ('session_held', 'call', 'critical', NULL, '15 min'),
    ('login_closed', 'call', 'critical', NULL, '15 min'),
    ('distrusted', 'call', 'critical', NULL, '1 hour'),
    ('logic_access', 'event', 'critical', NULL, '5 min');
INSERT INTO venue.alarm_rule (code, source, severity, hours_from, hours_to, escalate_after) VALUES
    ('door_out_of_hours', 'trouble', 'critical', '02:00', '09:00', '5 min');

-- Whether a cabinet has opened a thousand alarms within a day: one that was broken open could fill the list with new ones
-- every second. The alarm alarm_flood says so, and no other of this cabinet is opened until a day has passed; but for what
-- was done about it.
CREATE FUNCTION venue.is_flooding(p_cabinet int) RETURNS bool LANGUAGE sql STABLE AS $$
    SELECT count(*) >= 1000 FROM venue.alarm a
    WHERE a.cabinet = p_cabinet AND a.since > clock_timestamp() - interval '1 day'
$$;

-- Raises an alarm under p_key, or counts it again if it is still open.
CREATE FUNCTION venue.raise_alarm(p_code text, p_cabinet int, p_key text, p_detail jsonb, p_lasting bool DEFAULT false)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO venue.alarm AS a (key, code, cabinet, severity, lasting, detail)
    SELECT p_key, r.code, p_cabinet, r.severity, p_lasting,
           CASE WHEN octet_length(p_detail::text) <= 10000 THEN p_detail
                ELSE jsonb_build_object('text', left(coalesce(p_detail ->> 'text', p_detail::text), 500)) END
    FROM venue.alarm_rule r
    WHERE r.code = p_code AND r.enabled AND (r.code IN ('login_closed', 'distrusted') OR NOT venue.is_flooding(p_cabinet))
    ON CONFLICT (key) WHERE over_at IS NULL
    DO UPDATE SET times = a.times + 1, last_at = clock_timestamp(), detail = EXCLUDED.detail;
END $$;
