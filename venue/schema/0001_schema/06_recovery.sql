-- Recovering pools: what cabinets give back, what operators write off; adjustments; a pool's terms.
SET LOCAL ROLE venue_owner;

-- Books a hit that an earlier state of this venue answered; as with any new hit, pending terms become effective.
CREATE FUNCTION venue.take_hit(p_pool int, p_hit bigint, p_taken bigint) RETURNS void LANGUAGE sql AS $$
    UPDATE venue.pool x
    SET base = x.base + p_taken, hits = greatest(x.hits, p_hit),
        seed = CASE WHEN p_hit > x.hits THEN coalesce(x.next_seed, x.seed) ELSE x.seed END,
        next_seed = CASE WHEN p_hit > x.hits THEN NULL ELSE x.next_seed END,
        rate_per_mille = CASE WHEN p_hit > x.hits THEN coalesce(x.next_rate_per_mille, x.rate_per_mille)
                              ELSE x.rate_per_mille END,
        next_rate_per_mille = CASE WHEN p_hit > x.hits THEN NULL ELSE x.next_rate_per_mille END
    WHERE x.pool = p_pool
$$;

CREATE FUNCTION venue.give_back(p_session bigint, p_claims jsonb) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
    r record;
    q venue.pool;
    known venue.claim;
    entered venue.lost_hit;
    late text;
    fresh int := 0;
BEGIN
    PERFORM venue.check_rows(c.cabinet, p_claims, 500, 1048576);
    FOR r IN
        SELECT (x ->> 'pool')::int AS pool, (x ->> 'epoch')::int AS epoch, (x ->> 'round')::bigint AS round,
               (x ->> 'number')::int AS number, (x ->> 'hit')::bigint AS hit, (x ->> 'seed')::bigint AS seed,
               (x ->> 'award')::bigint AS award
        FROM jsonb_array_elements(p_claims) x ORDER BY 1, 5
    LOOP
        SELECT * INTO q FROM venue.pool x WHERE x.pool = r.pool FOR NO KEY UPDATE;
        IF r.pool IS NULL OR r.epoch IS NULL OR r.epoch NOT BETWEEN 1 AND c.epoch OR r.round IS NULL OR r.number IS NULL
           OR r.hit IS NULL OR r.hit < 1 OR r.seed IS NULL OR r.award IS NULL
           OR r.seed NOT BETWEEN 1 AND venue.most_contributed()
           OR r.award NOT BETWEEN r.seed AND r.seed + venue.most_contributed()
           -- No backup is a thousand jackpots of a pool old.
           OR r.hit > coalesce((SELECT max(b.hits) FROM venue.recovery_pool b WHERE b.pool = r.pool), q.hits, 0) + 1000 THEN
            PERFORM venue.refuse(c.cabinet, 'call', '22023', format('give_back: %s is no answered claim', to_json(r)));
        END IF;
        SELECT * INTO known FROM venue.claim k
        WHERE k.cabinet = c.cabinet AND k.epoch = r.epoch AND k.round = r.round AND k.number = r.number;
        CONTINUE WHEN (known.pool, known.hit, known.seed, known.award) IS NOT DISTINCT FROM (r.pool, r.hit, r.seed, r.award);
        -- Once late it stays late, as an adjustment may have settled it. A claim that was answered under another number of
        -- this cabinet is in the books already.
        CONTINUE WHEN EXISTS (SELECT FROM venue.late_claim l
                              WHERE (l.cabinet, l.epoch, l.round, l.number) = (c.cabinet, r.epoch, r.round, r.number))
            OR EXISTS (SELECT FROM venue.claim k WHERE k.cabinet <> c.cabinet AND (k.epoch, k.round, k.number, k.pool, k.hit,
                       k.seed, k.award) = (r.epoch, r.round, r.number, r.pool, r.hit, r.seed, r.award));
        SELECT h.* INTO entered FROM venue.lost_hit h
        WHERE h.pool = r.pool AND h.hit = r.hit
          AND NOT EXISTS (SELECT FROM venue.claim k WHERE k.pool = r.pool AND k.hit = r.hit);
        IF known.cabinet IS NULL AND (entered.seed, entered.award) = (r.seed, r.award) THEN
            -- A person has entered this hit with these figures: the claim takes its place.
            INSERT INTO venue.claim (cabinet, epoch, round, number, pool, hit, seed, rate_per_mille, award, given_back)
            VALUES (c.cabinet, r.epoch, r.round, r.number, r.pool, r.hit, r.seed, q.rate_per_mille, r.award, true);
            fresh := fresh + 1;
            CONTINUE;
        END IF;
        late := CASE
            WHEN q.pool IS NULL THEN 'this venue has no such pool'
            WHEN known.cabinet IS NOT NULL THEN 'answered otherwise by this venue'
            WHEN entered.pool IS NOT NULL AND entered.award IS NULL THEN 'this hit was voided, as nobody had it'
            WHEN entered.pool IS NOT NULL THEN 'this hit was entered by hand with other figures'
            WHEN EXISTS (SELECT FROM venue.hit x WHERE x.pool = r.pool AND x.hit = r.hit) THEN 'another claim has this hit'
            WHEN NOT EXISTS (SELECT FROM venue.recovery v WHERE v.opened_at IS NULL) THEN 'the pool was not recovering'
        END;
        IF late IS NOT NULL THEN
            INSERT INTO venue.late_claim (cabinet, epoch, round, number, pool, hit, seed, award, reason)
            VALUES (c.cabinet, r.epoch, r.round, r.number, r.pool, r.hit, r.seed, r.award, late) ON CONFLICT DO NOTHING;
            CONTINUE;
        END IF;
        INSERT INTO venue.claim (cabinet, epoch, round, number, pool, hit, seed, rate_per_mille, award, given_back)
        VALUES (c.cabinet, r.epoch, r.round, r.number, r.pool, r.hit, r.seed, q.rate_per_mille, r.award, true);
        PERFORM venue.take_hit(r.pool, r.hit, r.award - r.seed);
        fresh := fresh + 1;
    END LOOP;
    RETURN fresh;
END $$;

-- Every hit of a pool: answered here, given back, or entered by a person.
CREATE VIEW venue.hit AS
    SELECT pool, hit, seed, award, cabinet, epoch, round, number, rate_per_mille, at,
           CASE WHEN given_back THEN 'given back' ELSE 'answered' END AS origin
    FROM venue.claim
    UNION ALL
    SELECT l.pool, l.hit, l.seed, l.award, NULL, NULL, NULL, NULL, NULL, l.at, 'lost' FROM venue.lost_hit l
    WHERE NOT EXISTS (SELECT FROM venue.claim k WHERE k.pool = l.pool AND k.hit = l.hit);

CREATE FUNCTION venue.reported(p_session bigint, p_seqs jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
    missing text;
BEGIN
    IF p_seqs IS NULL OR jsonb_typeof(p_seqs) <> 'object' THEN
        RAISE EXCEPTION 'reported: seqs maps pools to their newest seq' USING ERRCODE = '22023';
    END IF;
    SELECT string_agg(s.key, ', ') INTO missing FROM jsonb_each_text(p_seqs) s
    WHERE s.value::bigint > 0 AND NOT EXISTS (
        SELECT FROM venue.meter m
        WHERE m.cabinet = c.cabinet AND m.epoch = c.epoch AND m.pool::text = s.key AND m.seq >= s.value::bigint)
      AND NOT EXISTS (SELECT FROM venue.removal r
                      WHERE r.cabinet = c.cabinet AND r.pool::text = s.key AND r.state = 'approved');
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION 'reported: the meters of pools % have not arrived', missing USING ERRCODE = '22023';
    END IF;
    -- Books of another epoch than the backup's may lack what the cabinet was paid before they began.
    INSERT INTO venue.recovery_report AS p (recovery, cabinet, seqs, whole)
    SELECT r.recovery, c.cabinet, p_seqs, r.opened_at IS NULL AND d.epoch IS NOT DISTINCT FROM c.epoch
    FROM venue.recovery r JOIN venue.recovery_cabinet d ON d.recovery = r.recovery AND d.cabinet = c.cabinet
    ON CONFLICT (recovery, cabinet)
    DO UPDATE SET seqs = EXCLUDED.seqs, whole = p.whole OR EXCLUDED.whole, at = clock_timestamp();
END $$;

-- The cabinets that the open recovery still waits for.
CREATE VIEW venue.not_reported AS
    SELECT r.recovery, k.cabinet, k.label FROM venue.recovery r, venue.cabinet k
    WHERE r.opened_at IS NULL AND NOT k.retired
      AND NOT EXISTS (SELECT FROM venue.recovery_report p WHERE p.recovery = r.recovery AND p.cabinet = k.cabinet);

-- The cabinets of the open recovery that may have been paid what nobody has given back.
CREATE VIEW venue.not_whole AS
    SELECT r.recovery, k.cabinet, k.label,
           CASE WHEN k.distrusted THEN 'distrusted' WHEN k.retired THEN 'retired' WHEN p.seqs IS NOT NULL THEN 'other books'
                WHEN p.cabinet IS NOT NULL THEN 'written off' ELSE 'waited for' END AS why
    FROM venue.recovery r CROSS JOIN venue.cabinet k
    LEFT JOIN venue.recovery_cabinet d ON d.recovery = r.recovery AND d.cabinet = k.cabinet
    LEFT JOIN venue.recovery_report p ON p.recovery = r.recovery AND p.cabinet = k.cabinet
    WHERE r.opened_at IS NULL AND NOT (k.retired AND coalesce(d.retired, true)) AND NOT coalesce(p.whole, false);

-- Logins of cabinets on this server that the venue does not have: enrolled after the backup, or another database's.
CREATE VIEW venue.stranger AS
    SELECT r.rolname AS role FROM pg_roles r
    WHERE r.rolname ~ '^cab_[1-9][0-9]{0,8}$' AND r.rolcanlogin
      AND NOT EXISTS (SELECT FROM venue.cabinet k WHERE k.role = r.rolname);

-- The seed that a hit was paid at, as far as the venue knows: terms that were set after the backup are lost.
CREATE FUNCTION venue.seed_at(p_pool int, p_hit bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_hit = b.hits + 1 THEN b.seed ELSE coalesce(
        (SELECT h.seed FROM venue.hit h
         WHERE h.pool = p_pool AND h.hit < p_hit AND (p_hit <= b.hits OR h.hit > b.hits + 1) ORDER BY h.hit DESC LIMIT 1),
        CASE WHEN p_hit > b.hits THEN b.next_seed END, b.seed) END
    FROM venue.recovery_pool b WHERE b.pool = p_pool ORDER BY b.recovery DESC LIMIT 1
$$;

CREATE FUNCTION venue.write_off(p_cabinet int, p_reason text, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    INSERT INTO venue.recovery_report (recovery, cabinet, written_off_by, reason)
    SELECT n.recovery, n.cabinet, p_by, p_reason FROM venue.not_reported n WHERE n.cabinet = p_cabinet;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no recovery waits for cabinet %', p_cabinet USING ERRCODE = '22023';
    END IF;
    PERFORM venue.note(p_by, 'written off', p_cabinet, jsonb_build_object('reason', p_reason));
END $$;

-- A hit that no cabinet gives back, one of the known ones or above them: p_award is what was paid for it, NULL where nobody
-- was paid, and p_seed the seed that it was paid at, NULL for the one that the venue knows (venue.seed_at). p_cabinet and
-- p_round say for which round, where that is known: an older copy of the books may ask for it again (venue.take_slip).
CREATE FUNCTION venue.write_off_hit(p_pool int, p_hit bigint, p_award bigint, p_seed bigint, p_reason text, p_by text,
                                    p_cabinet int DEFAULT NULL, p_round bigint DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    q venue.pool;
    paid_at bigint;
BEGIN
    SELECT * INTO q FROM venue.pool x WHERE x.pool = p_pool FOR NO KEY UPDATE;
    IF q.pool IS NULL OR p_hit IS NULL OR p_hit NOT BETWEEN 1 AND q.hits + 50
       OR NOT EXISTS (SELECT FROM venue.recovery r WHERE r.opened_at IS NULL)
       OR EXISTS (SELECT FROM venue.hit x WHERE x.pool = p_pool AND x.hit = p_hit) THEN
        RAISE EXCEPTION 'hit % of pool % is not missing', p_hit, p_pool USING ERRCODE = '22023';
    END IF;
    paid_at := coalesce(p_seed, venue.seed_at(p_pool, p_hit), q.seed);
    IF p_award < paid_at OR p_award % q.unit <> 0 OR paid_at <= 0 OR paid_at % q.unit <> 0 THEN
        RAISE EXCEPTION 'hit % of pool % paid whole coins, and its seed of % at least', p_hit, p_pool, round(paid_at / 100000.0, 2)
            USING ERRCODE = '22023';
    ELSIF (p_cabinet IS NULL) <> (p_round IS NULL) OR p_round < 1 THEN
        RAISE EXCEPTION 'a slip names a cabinet and its round, or neither' USING ERRCODE = '22023';
    END IF;
    INSERT INTO venue.lost_hit (pool, hit, seed, award, cabinet, round, by, reason)
    VALUES (p_pool, p_hit, paid_at, p_award, p_cabinet, p_round, p_by, p_reason);
    PERFORM venue.take_hit(p_pool, p_hit, coalesce(p_award - paid_at, 0));
    PERFORM venue.note(p_by, 'hit written off', p_cabinet, jsonb_build_object(
        'pool', p_pool, 'hit', p_hit, 'award', p_award, 'seed', paid_at, 'round', p_round, 'reason', p_reason));
END $$;

-- Answers a claim of an earlier epoch by the hit that a person entered for its round, which the claim then takes; nothing
-- where none was entered. A round of the present epoch is another one under the same number. The pool is locked.
CREATE FUNCTION venue.take_slip(c venue.cabinet, q venue.pool, p_epoch int, p_round bigint, p_number int,
                                OUT award bigint, OUT hit bigint, OUT seed bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    SELECT l.award, l.hit, l.seed INTO award, hit, seed FROM venue.lost_hit l
    WHERE p_epoch < c.epoch AND (l.pool, l.cabinet, l.round) = (q.pool, c.cabinet, p_round) AND l.award IS NOT NULL
      AND NOT EXISTS (SELECT FROM venue.claim k WHERE k.pool = l.pool AND k.hit = l.hit)
    ORDER BY l.hit LIMIT 1;
    IF take_slip.award IS NOT NULL THEN
        INSERT INTO venue.claim (cabinet, epoch, round, number, pool, hit, seed, rate_per_mille, award, given_back)
        VALUES (c.cabinet, p_epoch, p_round, p_number, q.pool, take_slip.hit, take_slip.seed, q.rate_per_mille,
                take_slip.award, true);
    END IF;
END $$;

-- The invariants of each pool, with what each should be.
CREATE VIEW venue.pool_audit AS
    SELECT p.pool, p.state, p.base, p.hits, p.base = d.base_due AS base_ok,
           p.hits = d.highest AND d.highest = d.hits_known AS hits_ok, d.below = 0 AS awards_ok,
           d.total - p.base >= 0 AS value_ok, d.base_due, d.highest, d.hits_known, d.total, p.seed + d.total - p.base AS amount
    FROM venue.pool p CROSS JOIN LATERAL (
        SELECT coalesce((SELECT sum(h.award - h.seed) FROM venue.hit h WHERE h.pool = p.pool AND h.award IS NOT NULL), 0)
               - coalesce((SELECT sum(a.amount) FROM venue.adjustment a WHERE a.pool = p.pool AND a.state = 'approved'), 0)
                   AS base_due,
               coalesce((SELECT max(h.hit) FROM venue.hit h WHERE h.pool = p.pool), 0) AS highest,
               (SELECT count(*) FROM venue.hit h WHERE h.pool = p.pool) AS hits_known,
               (SELECT count(*) FROM venue.hit h WHERE h.pool = p.pool AND h.award < h.seed) AS below,
               coalesce((SELECT sum(m.cum) FROM venue.meter m WHERE m.pool = p.pool), 0) AS total
    ) d;

-- Ends the recovery. p_complete is a person's word: every cabinet that is linked is among those of the venue, and every hit
-- that one of venue.not_whole has paid was entered.
CREATE FUNCTION venue.open_pools(p_complete bool, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    number int;
    words text;
BEGIN
    PERFORM FROM venue.pool p ORDER BY p.pool FOR NO KEY UPDATE;
    SELECT r.recovery INTO number FROM venue.recovery r WHERE r.opened_at IS NULL FOR UPDATE;
    IF number IS NULL THEN
        RAISE EXCEPTION 'no pool is recovering' USING ERRCODE = '55000';
    END IF;
    SELECT string_agg(n.cabinet::text, ', ' ORDER BY n.cabinet) INTO words FROM venue.not_reported n;
    IF words IS NOT NULL THEN
        RAISE EXCEPTION 'cabinets % have not reported: wait for them or write them off', words USING ERRCODE = '55000';
    END IF;
    IF p_complete IS NOT TRUE THEN
        RAISE EXCEPTION 'confirm first that every linked cabinet is listed and every hit that was paid is entered'
            USING ERRCODE = '55000';
    END IF;
    -- If every cabinet has reported, a hit that none of them has was paid to nobody: its claim is asked for again. So is it
    -- beside those that are not trusted, which may have given back a hit far above all others; p_complete speaks for them.
    IF NOT EXISTS (SELECT FROM venue.not_whole w WHERE w.why <> 'distrusted') THEN
        INSERT INTO venue.lost_hit (pool, hit, seed, award, by, reason)
        SELECT p.pool, n, p.seed, NULL, 'venue', 'every cabinet has reported and none has it'
        FROM venue.pool p, generate_series(1, p.hits) n
        WHERE NOT EXISTS (SELECT FROM venue.hit h WHERE h.pool = p.pool AND h.hit = n);
    END IF;
    SELECT string_agg(format('%s of pool %s', n, p.pool), ', ') INTO words FROM venue.pool p, generate_series(1, p.hits) n
    WHERE NOT EXISTS (SELECT FROM venue.hit h WHERE h.pool = p.pool AND h.hit = n);
    IF words IS NOT NULL THEN
        RAISE EXCEPTION 'hits % are missing and the books of a cabinet are lost: write each off with what was paid', words
            USING ERRCODE = '55000';
    END IF;
    SELECT string_agg(a.pool::text, ', ') INTO words FROM venue.pool_audit a
    WHERE NOT (a.base_ok AND a.hits_ok AND a.awards_ok AND a.value_ok);
    IF words IS NOT NULL THEN
        RAISE EXCEPTION 'the books of pools % do not balance, or they are below their seed: adjust them', words
            USING ERRCODE = '55000';
    END IF;
    UPDATE venue.pool p SET state = 'open' WHERE p.state = 'recovering';
    PERFORM venue.refresh_values('0 s');
    PERFORM venue.note(p_by, 'pools opened', NULL, jsonb_build_object(
        'recovery', number, 'not_whole', (SELECT jsonb_agg(w.cabinet ORDER BY w.cabinet) FROM venue.not_whole w)));
    UPDATE venue.recovery r SET opened_by = p_by, opened_at = clock_timestamp() WHERE r.recovery = number;
END $$;

CREATE FUNCTION venue.propose_adjustment(p_pool int, p_amount bigint, p_reason text, p_by text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    made bigint;
BEGIN
    INSERT INTO venue.adjustment (pool, amount, reason, proposed_by) VALUES (p_pool, p_amount, p_reason, p_by)
    RETURNING adjustment INTO made;
    PERFORM venue.note(p_by, 'adjustment proposed', NULL,
                       jsonb_build_object('adjustment', made, 'pool', p_pool, 'amount', p_amount, 'reason', p_reason));
    RETURN made;
END $$;

CREATE FUNCTION venue.decide_adjustment(p_adjustment bigint, p_approve bool, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    a venue.adjustment;
    q venue.pool;
    total bigint;
BEGIN
    SELECT * INTO a FROM venue.adjustment x WHERE x.adjustment = p_adjustment FOR UPDATE;
    IF a.state IS DISTINCT FROM 'proposed' THEN
        RAISE EXCEPTION 'adjustment % is not waiting for a decision', p_adjustment USING ERRCODE = '55000';
    ELSIF p_approve AND a.proposed_by = p_by THEN
        RAISE EXCEPTION 'another person than % approves this adjustment', p_by USING ERRCODE = '42501';
    END IF;
    UPDATE venue.adjustment x
    SET state = CASE WHEN p_approve THEN 'approved' ELSE 'rejected' END, decided_by = p_by, decided_at = clock_timestamp()
    WHERE x.adjustment = p_adjustment;
    IF p_approve THEN
        SELECT * INTO q FROM venue.pool x WHERE x.pool = a.pool FOR NO KEY UPDATE;
        SELECT coalesce(sum(m.cum), 0) INTO total FROM venue.meter m WHERE m.pool = a.pool;
        IF (q.state = 'closed' AND NOT EXISTS (SELECT FROM venue.recovery r WHERE r.opened_at IS NULL)) OR (q.state = 'open' AND total - (q.base - a.amount) < 0) THEN
            RAISE EXCEPTION 'the adjustment would leave pool % below its seed, or it is closed', a.pool USING ERRCODE = '55000';
        END IF;
        UPDATE venue.pool x SET base = x.base - a.amount WHERE x.pool = a.pool;
        UPDATE venue.pool_value v SET amount = q.seed + total - (q.base - a.amount), at = clock_timestamp()
        WHERE v.pool = a.pool;
    END IF;
    PERFORM venue.note(p_by, CASE WHEN p_approve THEN 'adjustment approved' ELSE 'adjustment rejected' END, NULL,
                       jsonb_build_object('adjustment', p_adjustment, 'pool', a.pool, 'amount', a.amount));
END $$;

-- A cabinet that is taken out of a pool, since it has contributed what it never took, or may have. Two people do it. What
-- it has contributed leaves the pool by an adjustment, as far as the pool does not fall below its seed; its meter stays
-- as it is. From then on the pool is closed to it: it contributes nothing to it and claims nothing from it.
CREATE TABLE venue.removal (
    removal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pool int NOT NULL REFERENCES venue.pool,
    cabinet int NOT NULL REFERENCES venue.cabinet,
    reason text NOT NULL CHECK (reason <> ''),
    proposed_by text NOT NULL CHECK (proposed_by <> ''),
    proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    state text NOT NULL DEFAULT 'proposed' CHECK (state IN ('proposed', 'approved', 'rejected')),
    decided_by text,
    decided_at timestamptz,
    adjustment bigint REFERENCES venue.adjustment,
    CONSTRAINT two_people CHECK (state <> 'approved' OR (decided_by IS NOT NULL AND decided_by <> proposed_by))
);
COMMENT ON COLUMN venue.removal.adjustment IS 'what was taken with it; NULL where nothing was left of it';
CREATE UNIQUE INDEX one_removal ON venue.removal (cabinet, pool) WHERE state <> 'rejected';

CREATE FUNCTION venue.propose_removal(p_pool int, p_cabinet int, p_reason text, p_by text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    made bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM venue.meter m WHERE m.pool = p_pool AND m.cabinet = p_cabinet) THEN
        RAISE EXCEPTION 'cabinet % has contributed nothing to pool %', p_cabinet, p_pool USING ERRCODE = '22023';
    END IF;
    INSERT INTO venue.removal (pool, cabinet, reason, proposed_by) VALUES (p_pool, p_cabinet, p_reason, p_by)
    ON CONFLICT DO NOTHING RETURNING removal INTO made;
    IF made IS NULL THEN
        RAISE EXCEPTION 'cabinet % was taken out of pool % already, or that waits for a second person', p_cabinet, p_pool
            USING ERRCODE = '55000';
    END IF;
    PERFORM venue.note(p_by, 'removal proposed', p_cabinet,
                       jsonb_build_object('removal', made, 'pool', p_pool, 'reason', p_reason));
    RETURN made;
END $$;

CREATE FUNCTION venue.decide_removal(p_removal bigint, p_approve bool, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    r venue.removal;
    q venue.pool;
    own numeric;
    total numeric;
    made bigint;
BEGIN
    SELECT * INTO r FROM venue.removal x WHERE x.removal = p_removal FOR UPDATE;
    IF r.state IS DISTINCT FROM 'proposed' THEN
        RAISE EXCEPTION 'proposal % is not waiting for a decision', p_removal USING ERRCODE = '55000';
    ELSIF p_approve AND r.proposed_by = p_by THEN
        RAISE EXCEPTION 'another person than % approves this', p_by USING ERRCODE = '42501';
    END IF;
    IF p_approve THEN
        -- Calls of the cabinet that are under way end first, and later ones see that it is out.
        PERFORM FROM venue.cabinet k WHERE k.cabinet = r.cabinet FOR NO KEY UPDATE;
        SELECT * INTO q FROM venue.pool x WHERE x.pool = r.pool FOR NO KEY UPDATE;
        SELECT coalesce(sum(m.cum) FILTER (WHERE m.cabinet = r.cabinet), 0), coalesce(sum(m.cum), 0) INTO own, total
        FROM venue.meter m WHERE m.pool = r.pool;
        own := least(own, total - q.base);
        IF own > 0 THEN
            INSERT INTO venue.adjustment (pool, amount, reason, proposed_by, proposed_at, state, decided_by, decided_at)
            VALUES (r.pool, -own, format('cabinet %s was taken out: %s', r.cabinet, r.reason), r.proposed_by, r.proposed_at,
                    'approved', p_by, clock_timestamp()) RETURNING adjustment INTO made;
            UPDATE venue.pool x SET base = x.base + own WHERE x.pool = r.pool;
            UPDATE venue.pool_value v SET amount = q.seed + total - (q.base + own), at = clock_timestamp()
            WHERE v.pool = r.pool;
        END IF;
    END IF;
    UPDATE venue.removal x
    SET state = CASE WHEN p_approve THEN 'approved' ELSE 'rejected' END, decided_by = p_by, decided_at = clock_timestamp(),
        adjustment = made
    WHERE x.removal = p_removal;
    PERFORM venue.note(p_by, CASE WHEN p_approve THEN 'removal approved' ELSE 'removal rejected' END, r.cabinet,
                       jsonb_build_object('removal', p_removal, 'pool', r.pool, 'adjustment', made));
END $$;

CREATE FUNCTION venue.settle_late_claim(p_cabinet int, p_epoch int, p_round bigint, p_number int, p_adjustment bigint,
                                        p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    UPDATE venue.late_claim l SET adjustment = p_adjustment
    FROM venue.adjustment a
    WHERE (l.cabinet, l.epoch, l.round, l.number) = (p_cabinet, p_epoch, p_round, p_number) AND l.adjustment IS NULL
      AND a.adjustment = p_adjustment AND a.state = 'approved' AND a.pool = l.pool;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'an approved adjustment of its pool settles a late claim, once' USING ERRCODE = '22023';
    END IF;
    PERFORM venue.note(p_by, 'late claim settled', p_cabinet,
                       jsonb_build_object('round', p_round, 'number', p_number, 'adjustment', p_adjustment));
END $$;

-- Adds a pool, numbered by the venue; the seed is in 1/1000 cent and whole coins.
CREATE FUNCTION venue.add_pool(p_game text, p_coin int, p_seed bigint, p_rate_per_mille int, p_by text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    made int;
BEGIN
    LOCK TABLE venue.pool IN SHARE ROW EXCLUSIVE MODE;
    INSERT INTO venue.pool (pool, game, coin, seed, rate_per_mille, state)
    SELECT coalesce(max(pool), 0) + 1, p_game, p_coin, p_seed, p_rate_per_mille,
           CASE WHEN EXISTS (SELECT FROM venue.recovery r WHERE r.opened_at IS NULL) THEN 'recovering' ELSE 'open' END
    FROM venue.pool RETURNING pool INTO made;
    PERFORM venue.note(p_by, 'pool added', NULL, jsonb_build_object(
        'pool', made, 'game', p_game, 'coin', p_coin, 'seed', p_seed, 'rate_per_mille', p_rate_per_mille));
    RETURN made;
END $$;

-- Seed and rate of the next hit. Two people change them, as they adjust a pool. A screen states both (its rule page),
-- so that the page proposes those of the game's rules and no others.
CREATE TABLE venue.terms_proposal (
    proposal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pool int NOT NULL REFERENCES venue.pool,
    seed bigint NOT NULL CHECK (seed > 0),
    rate_per_mille int NOT NULL CHECK (rate_per_mille BETWEEN 1 AND 1000),
    proposed_by text NOT NULL CHECK (proposed_by <> ''),
    proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    state text NOT NULL DEFAULT 'proposed' CHECK (state IN ('proposed', 'approved', 'rejected')),
    decided_by text,
    decided_at timestamptz,
    CONSTRAINT two_people CHECK (state <> 'approved' OR (decided_by IS NOT NULL AND decided_by <> proposed_by))
);
CREATE UNIQUE INDEX one_proposal ON venue.terms_proposal (pool) WHERE state = 'proposed';

CREATE FUNCTION venue.propose_terms(p_pool int, p_seed bigint, p_rate_per_mille int, p_by text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    q venue.pool;
    made bigint;
BEGIN
    SELECT * INTO q FROM venue.pool x WHERE x.pool = p_pool FOR NO KEY UPDATE;
    IF q.pool IS NULL THEN
        RAISE EXCEPTION 'there is no pool %', p_pool USING ERRCODE = '22023';
    ELSIF p_seed % q.unit <> 0 THEN
        RAISE EXCEPTION 'a seed is whole coins' USING ERRCODE = '22023';
    ELSIF EXISTS (SELECT FROM venue.terms_proposal t WHERE t.pool = p_pool AND t.state = 'proposed') THEN
        RAISE EXCEPTION 'new terms of pool % wait for a second person already', p_pool USING ERRCODE = '55000';
    END IF;
    INSERT INTO venue.terms_proposal (pool, seed, rate_per_mille, proposed_by)
    VALUES (p_pool, p_seed, p_rate_per_mille, p_by) RETURNING proposal INTO made;
    PERFORM venue.note(p_by, 'terms proposed', NULL, jsonb_build_object(
        'proposal', made, 'pool', p_pool, 'seed', p_seed, 'rate_per_mille', p_rate_per_mille));
    RETURN made;
END $$;

CREATE FUNCTION venue.decide_terms(p_proposal bigint, p_approve bool, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    t venue.terms_proposal;
BEGIN
    SELECT * INTO t FROM venue.terms_proposal x WHERE x.proposal = p_proposal FOR UPDATE;
    IF t.state IS DISTINCT FROM 'proposed' THEN
        RAISE EXCEPTION 'proposal % is not waiting for a decision', p_proposal USING ERRCODE = '55000';
    ELSIF p_approve AND t.proposed_by = p_by THEN
        RAISE EXCEPTION 'another person than % approves these terms', p_by USING ERRCODE = '42501';
    END IF;
    UPDATE venue.terms_proposal x
    SET state = CASE WHEN p_approve THEN 'approved' ELSE 'rejected' END, decided_by = p_by, decided_at = clock_timestamp()
    WHERE x.proposal = p_proposal;
    IF p_approve THEN
        UPDATE venue.pool q SET next_seed = t.seed, next_rate_per_mille = t.rate_per_mille WHERE q.pool = t.pool;
    END IF;
    PERFORM venue.note(p_by, CASE WHEN p_approve THEN 'terms approved' ELSE 'terms rejected' END, NULL,
                       jsonb_build_object('proposal', p_proposal, 'pool', t.pool, 'seed', t.seed,
                                          'rate_per_mille', t.rate_per_mille));
END $$;

CREATE FUNCTION venue.close_pool(p_pool int, p_closed bool, p_reason text, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    UPDATE venue.pool q SET state = CASE WHEN p_closed THEN 'closed' ELSE 'open' END
    WHERE q.pool = p_pool AND q.state = CASE WHEN p_closed THEN 'open' ELSE 'closed' END
      AND NOT EXISTS (SELECT FROM venue.recovery r WHERE r.opened_at IS NULL);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'pool % is recovering, or is so already', p_pool USING ERRCODE = '55000';
    END IF;
    PERFORM venue.note(p_by, CASE WHEN p_closed THEN 'pool closed' ELSE 'pool opened' END, NULL,
                       jsonb_build_object('pool', p_pool, 'reason', p_reason));
END $$;

GRANT EXECUTE ON FUNCTION venue.give_back, venue.reported TO cabinets;
GRANT EXECUTE ON FUNCTION venue.begin_recovery, venue.write_off, venue.write_off_hit, venue.seed_at, venue.open_pools,
    venue.propose_adjustment, venue.decide_adjustment, venue.propose_removal, venue.decide_removal, venue.settle_late_claim, venue.add_pool,
    venue.propose_terms, venue.decide_terms, venue.close_pool TO venue_page;
