-- Counted cash against the drop, and the month's close.
SET LOCAL ROLE venue_owner;

CREATE TABLE venue.counted (
    collection bigint NOT NULL REFERENCES venue.collection,
    revision int NOT NULL,
    coins_cents bigint NOT NULL CHECK (coins_cents >= 0),
    notes_cents bigint NOT NULL CHECK (notes_cents >= 0),
    remark text NOT NULL DEFAULT '',
    by text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (collection, revision)
);
COMMENT ON TABLE venue.counted IS 'what a person counted; a correction is a further revision, the newest counts';
CREATE TRIGGER unchanged BEFORE UPDATE OR DELETE ON venue.collection FOR EACH ROW EXECUTE FUNCTION venue.unchanged();
CREATE TRIGGER unchanged BEFORE UPDATE OR DELETE ON venue.counted FOR EACH ROW EXECUTE FUNCTION venue.unchanged();

CREATE FUNCTION venue.is_closed(p_day date) RETURNS bool LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM venue.month_close m WHERE m.month = date_trunc('month', p_day))
$$;

CREATE FUNCTION venue.count_cash(p_collection bigint, p_coins_cents bigint, p_notes_cents bigint, p_remark text, p_by text)
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.collection;
    made int;
BEGIN
    -- The lock of `close_month`: what is counted before it is in the month, and afterwards the month is seen as closed.
    LOCK TABLE venue.day_meter IN ROW EXCLUSIVE MODE;
    -- Two counts of one collection take turns.
    SELECT * INTO c FROM venue.collection x WHERE x.collection = p_collection FOR NO KEY UPDATE;
    IF c.collection IS NULL THEN
        RAISE EXCEPTION 'there is no collection %', p_collection USING ERRCODE = '22023';
    ELSIF venue.is_closed(c.day) THEN
        RAISE EXCEPTION 'the month of collection % is closed', p_collection USING ERRCODE = '55000';
    END IF;
    INSERT INTO venue.counted (collection, revision, coins_cents, notes_cents, remark, by)
    SELECT p_collection, coalesce(max(k.revision), 0) + 1, p_coins_cents, p_notes_cents, coalesce(p_remark, ''), p_by
    FROM venue.counted k WHERE k.collection = p_collection
    RETURNING revision INTO made;
    PERFORM venue.note(p_by, 'cash counted', c.cabinet, jsonb_build_object(
        'collection', p_collection, 'revision', made, 'coins_cents', p_coins_cents, 'notes_cents', p_notes_cents));
    RETURN made;
END $$;

-- Each collection with the newest count; the difference is counted less dropped, NULL until somebody counts.
CREATE VIEW venue.collection_count AS
    SELECT c.*, k.revision, k.coins_cents AS counted_coins_cents, k.notes_cents AS counted_notes_cents, k.remark,
           k.by AS counted_by, k.at AS counted_at, k.coins_cents + k.notes_cents - c.drop_cents AS difference_cents
    FROM venue.collection c
    LEFT JOIN LATERAL (SELECT * FROM venue.counted x WHERE x.collection = c.collection ORDER BY x.revision DESC LIMIT 1) k
        ON true;

CREATE TABLE venue.month_figure (
    month date NOT NULL REFERENCES venue.month_close,
    cabinet int NOT NULL REFERENCES venue.cabinet,
    game text NOT NULL,
    rounds bigint,
    stakes bigint NOT NULL,
    wins bigint NOT NULL,
    meters jsonb,
    collected_cents bigint,
    counted_cents bigint,
    PRIMARY KEY (month, cabinet, game)
);
COMMENT ON COLUMN venue.month_figure.game IS 'empty for the cabinet''s whole month, which has meters and cash';

-- Figures of a closed month are never changed, inserted or deleted.
CREATE FUNCTION venue.month_is_open() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' AND venue.is_closed(NEW.day) OR TG_OP <> 'INSERT' AND venue.is_closed(OLD.day) THEN
        RAISE EXCEPTION 'the month is closed: % of % refused', TG_OP, TG_TABLE_NAME USING ERRCODE = '55000';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER month_is_open BEFORE INSERT OR UPDATE OR DELETE ON venue.day_meter
    FOR EACH ROW EXECUTE FUNCTION venue.month_is_open();
CREATE TRIGGER month_is_open BEFORE INSERT OR UPDATE OR DELETE ON venue.day_game
    FOR EACH ROW EXECUTE FUNCTION venue.month_is_open();
CREATE TRIGGER unchanged BEFORE UPDATE OR DELETE ON venue.month_close FOR EACH ROW EXECUTE FUNCTION venue.unchanged();
CREATE TRIGGER unchanged BEFORE UPDATE OR DELETE ON venue.month_figure FOR EACH ROW EXECUTE FUNCTION venue.unchanged();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON venue.month_figure EXECUTE FUNCTION venue.unchanged();

-- The cabinets in service that have not handed over a reading of the month's end: what they send later counts for the
-- first day that is open. Their newest reading's day; NULL for none.
CREATE FUNCTION venue.unread(p_month date) RETURNS TABLE (cabinet int, newest date) LANGUAGE sql STABLE AS $$
    SELECT k.cabinet, (SELECT max(r.day) FROM venue.reading r WHERE r.cabinet = k.cabinet)
    FROM venue.cabinet k CROSS JOIN (SELECT (date_trunc('month', p_month) + interval '1 month')::date AS day) next
    WHERE NOT k.retired
      AND (k.enrolled_at AT TIME ZONE coalesce((SELECT timezone FROM venue.site), 'UTC'))::date < next.day
      AND NOT EXISTS (SELECT FROM venue.reading r WHERE r.cabinet = k.cabinet
                      AND (r.day >= next.day OR (r.day = next.day - 1 AND r.kind = 'day')))
$$;

-- Closes a month that is over. Later readings of its days count for the first day that is open.
CREATE FUNCTION venue.close_month(p_month date, p_by text) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    first date := date_trunc('month', p_month);
    next date := date_trunc('month', p_month) + interval '1 month';
    before date;
    digest bytea;
BEGIN
    -- Readings and counted cash take the lock of the first of these before all else.
    LOCK TABLE venue.day_meter, venue.day_game, venue.collection IN SHARE ROW EXCLUSIVE MODE;
    IF next > (clock_timestamp() AT TIME ZONE coalesce((SELECT timezone FROM venue.site), 'UTC'))::date THEN
        RAISE EXCEPTION 'the month % is not over', to_char(first, 'YYYY-MM') USING ERRCODE = '55000';
    ELSIF first <= (SELECT max(month) FROM venue.month_close) THEN
        RAISE EXCEPTION 'the month % is closed already', to_char(first, 'YYYY-MM') USING ERRCODE = '55000';
    END IF;
    SELECT date_trunc('month', min(d.day)) INTO before FROM venue.day_meter d
    WHERE d.day < first AND NOT venue.is_closed(d.day);
    IF before IS NOT NULL THEN
        RAISE EXCEPTION 'close % first', to_char(before, 'YYYY-MM') USING ERRCODE = '55000';
    END IF;
    SELECT sha256(convert_to(coalesce(json_agg(f ORDER BY f.cabinet, f.game), '[]')::text, 'UTF8')) INTO digest
    FROM venue.month_sums(first) f;
    INSERT INTO venue.month_close (month, closed_by, sha256) VALUES (first, p_by, digest);
    INSERT INTO venue.month_figure (month, cabinet, game, rounds, stakes, wins, meters, collected_cents, counted_cents)
    SELECT first, f.* FROM venue.month_sums(first) f;
    PERFORM venue.note(p_by, 'month closed', NULL,
                       jsonb_build_object('month', to_char(first, 'YYYY-MM'), 'sha256', encode(digest, 'hex'), 'unread',
                                          (SELECT jsonb_agg(u.cabinet ORDER BY u.cabinet) FROM venue.unread(first) u)));
    RETURN digest;
END $$;

-- What a month's days add up to: one row a cabinet (empty game), and one for each of its games.
CREATE FUNCTION venue.month_sums(p_month date) RETURNS TABLE (
    cabinet int, game text, rounds bigint, stakes bigint, wins bigint, meters jsonb, collected_cents bigint, counted_cents bigint
) LANGUAGE sql STABLE AS $$
    WITH days AS (
        SELECT d.cabinet, d.meters, d.stakes, d.wins FROM venue.day_meter d
        WHERE d.day >= p_month AND d.day < p_month + interval '1 month'
    ), named AS (
        SELECT x.cabinet, jsonb_object_agg(x.key, x.total) AS meters FROM (
            SELECT d.cabinet, m.key, sum(m.value::bigint) AS total FROM days d, jsonb_each_text(d.meters) m
            GROUP BY d.cabinet, m.key) x
        GROUP BY x.cabinet
    ), cash AS (
        SELECT c.cabinet, sum(c.drop_cents)::bigint AS collected,
               sum(c.counted_coins_cents + c.counted_notes_cents)::bigint AS counted
        FROM venue.collection_count c WHERE c.day >= p_month AND c.day < p_month + interval '1 month' GROUP BY c.cabinet
    )
    -- A month may have a collection and no day: the first reading of other books counts nothing.
    SELECT cabinet, '', NULL::bigint, coalesce(sum(d.stakes), 0)::bigint, coalesce(sum(d.wins), 0)::bigint,
           coalesce(n.meters, '{}'), c.collected, c.counted
    FROM days d LEFT JOIN named n USING (cabinet) FULL JOIN cash c USING (cabinet)
    GROUP BY cabinet, n.meters, c.collected, c.counted
    UNION ALL
    SELECT g.cabinet, g.game, sum(g.rounds)::bigint, sum(g.stakes)::bigint, sum(g.wins)::bigint, NULL, NULL, NULL
    FROM venue.day_game g WHERE g.day >= p_month AND g.day < p_month + interval '1 month' GROUP BY g.cabinet, g.game
$$;

GRANT EXECUTE ON FUNCTION venue.count_cash, venue.close_month, venue.month_sums, venue.is_closed, venue.unread TO venue_page;
