-- What the venue offers to cabinets (bundles, settings), and rounds that the page asks for.
SET LOCAL ROLE venue_owner;

CREATE TABLE venue.offer (
    offer int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('bundle', 'settings')),
    name text NOT NULL CHECK (name <> '' AND length(name) <= 200),
    size bigint NOT NULL DEFAULT 0,
    sha256 bytea,
    at_once int NOT NULL DEFAULT 5 CHECK (at_once > 0),
    state text NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'running', 'stopped', 'done')),
    made_by text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at timestamptz,
    ended_at timestamptz
);
COMMENT ON COLUMN venue.offer.at_once IS 'how many cabinets it is offered to at once, after the first has installed it';
CREATE TABLE venue.offer_part (
    offer int NOT NULL REFERENCES venue.offer,
    start_at bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (offer, start_at)
);
-- Kept as it is, so that a part of it is read without the rest.
ALTER TABLE venue.offer_part ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE venue.offer_to (
    offer int NOT NULL REFERENCES venue.offer,
    cabinet int NOT NULL REFERENCES venue.cabinet,
    place int NOT NULL,
    state text NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'offered', 'taken', 'installed', 'failed', 'refused', 'withdrawn')),
    detail text NOT NULL DEFAULT '',
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (offer, cabinet)
);
COMMENT ON COLUMN venue.offer_to.place IS 'the order in which it is offered';

CREATE FUNCTION venue.new_offer(p_kind text, p_name text, p_by text) RETURNS int
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
    INSERT INTO venue.offer (kind, name, made_by) VALUES (p_kind, p_name, p_by) RETURNING offer
$$;

-- Appends bytes to a draft and returns its size; at most 1 GiB in all, settings 256 KiB.
CREATE FUNCTION venue.add_part(p_offer int, p_bytes bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    o venue.offer;
BEGIN
    SELECT * INTO o FROM venue.offer x WHERE x.offer = p_offer FOR UPDATE;
    IF o.state IS DISTINCT FROM 'draft' OR octet_length(p_bytes) NOT BETWEEN 1 AND 4194304
       OR o.size + octet_length(p_bytes) > (CASE o.kind WHEN 'bundle' THEN 1073741824 ELSE 262144 END) THEN
        RAISE EXCEPTION 'offer % is no draft, or this part or the whole is too large', p_offer USING ERRCODE = '22023';
    END IF;
    INSERT INTO venue.offer_part (offer, start_at, bytes) VALUES (p_offer, o.size, p_bytes);
    UPDATE venue.offer x SET size = o.size + octet_length(p_bytes) WHERE x.offer = p_offer;
    RETURN o.size + octet_length(p_bytes);
END $$;

-- Offers it to the next cabinets: to one until that has installed it, then to some at once, to none after a failure.
CREATE FUNCTION venue.advance_offer(p_offer int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    o venue.offer;
    under_way int;
    installed int;
BEGIN
    SELECT * INTO o FROM venue.offer x WHERE x.offer = p_offer FOR UPDATE;
    IF o.state <> 'running' THEN
        RETURN;
    END IF;
    -- A retired cabinet will never answer.
    UPDATE venue.offer_to t SET state = 'withdrawn', detail = 'the cabinet was retired', at = clock_timestamp()
    FROM venue.cabinet k
    WHERE t.offer = p_offer AND k.cabinet = t.cabinet AND k.retired AND t.state IN ('waiting', 'offered', 'taken');
    IF EXISTS (SELECT FROM venue.offer_to t WHERE t.offer = p_offer
               AND (t.state = 'failed' OR (t.state = 'refused' AND o.kind = 'bundle'))) THEN
        UPDATE venue.offer_to t SET state = 'withdrawn', at = clock_timestamp()
        WHERE t.offer = p_offer AND t.state IN ('waiting', 'offered');
        UPDATE venue.offer x SET state = 'stopped', ended_at = clock_timestamp() WHERE x.offer = p_offer;
        RETURN;
    END IF;
    SELECT count(*) FILTER (WHERE t.state IN ('offered', 'taken')), count(*) FILTER (WHERE t.state = 'installed')
    INTO under_way, installed FROM venue.offer_to t WHERE t.offer = p_offer;
    UPDATE venue.offer_to t SET state = 'offered', at = clock_timestamp()
    WHERE t.offer = p_offer AND t.cabinet IN (
        SELECT w.cabinet FROM venue.offer_to w
        WHERE w.offer = p_offer AND w.state = 'waiting' ORDER BY w.place
        LIMIT greatest(CASE WHEN installed > 0 THEN o.at_once ELSE 1 END - under_way, 0));
    IF NOT EXISTS (SELECT FROM venue.offer_to t WHERE t.offer = p_offer AND t.state IN ('waiting', 'offered', 'taken')) THEN
        UPDATE venue.offer x SET state = 'done', ended_at = clock_timestamp() WHERE x.offer = p_offer;
    END IF;
END $$;

CREATE FUNCTION venue.advance_offers() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    PERFORM venue.advance_offer(t.offer) FROM venue.offer_to t
    WHERE t.cabinet = NEW.cabinet AND t.state IN ('waiting', 'offered', 'taken');
    RETURN NULL;
END $$;
CREATE TRIGGER advance_offers AFTER UPDATE OF retired ON venue.cabinet
    FOR EACH ROW WHEN (NEW.retired AND NOT OLD.retired) EXECUTE FUNCTION venue.advance_offers();

CREATE FUNCTION venue.start_offer(p_offer int, p_sha256 bytea, p_cabinets int[], p_at_once int, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    UPDATE venue.offer x
    SET state = 'running', started_at = clock_timestamp(), sha256 = p_sha256, at_once = p_at_once
    WHERE x.offer = p_offer AND x.state = 'draft' AND x.size > 0;
    IF NOT FOUND OR octet_length(p_sha256) IS DISTINCT FROM 32 OR coalesce(cardinality(p_cabinets), 0) = 0 THEN
        RAISE EXCEPTION 'offer % needs a draft with content, its SHA-256, and cabinets', p_offer USING ERRCODE = '22023';
    END IF;
    INSERT INTO venue.offer_to (offer, cabinet, place)
    SELECT p_offer, k, min(n) FROM unnest(p_cabinets) WITH ORDINALITY u(k, n) GROUP BY k;
    PERFORM venue.advance_offer(p_offer);
    PERFORM venue.note(p_by, 'offered', NULL, jsonb_build_object('offer', p_offer, 'cabinets', p_cabinets));
END $$;

CREATE FUNCTION venue.stop_offer(p_offer int, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    UPDATE venue.offer x SET state = 'stopped', ended_at = clock_timestamp()
    WHERE x.offer = p_offer AND x.state IN ('draft', 'running');
    IF NOT FOUND THEN
        RAISE EXCEPTION 'offer % is not running', p_offer USING ERRCODE = '55000';
    END IF;
    UPDATE venue.offer_to t SET state = 'withdrawn', at = clock_timestamp()
    WHERE t.offer = p_offer AND t.state IN ('waiting', 'offered');
    PERFORM venue.note(p_by, 'offer stopped', NULL, jsonb_build_object('offer', p_offer));
END $$;

CREATE FUNCTION venue.offers(p_session bigint) RETURNS TABLE (offer int, kind text, name text, size bigint, sha256 bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
#variable_conflict use_column
DECLARE
    c venue.cabinet := venue.caller(p_session);
BEGIN
    RETURN QUERY
        SELECT o.offer, o.kind, o.name, o.size, o.sha256 FROM venue.offer o JOIN venue.offer_to t USING (offer)
        WHERE t.cabinet = c.cabinet AND t.state IN ('offered', 'taken') ORDER BY o.offer;
END $$;

CREATE FUNCTION venue.fetch(p_session bigint, p_offer int, p_offset bigint) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
    piece bytea;
BEGIN
    PERFORM FROM venue.offer_to t WHERE t.offer = p_offer AND t.cabinet = c.cabinet AND t.state IN ('offered', 'taken');
    IF NOT FOUND OR p_offset IS NULL OR p_offset < 0 THEN
        RAISE EXCEPTION 'offer % is not offered to cabinet %', p_offer, c.cabinet USING ERRCODE = '22023';
    END IF;
    SELECT substring(p.bytes FROM (p_offset - p.start_at + 1)::int FOR 262144) INTO piece FROM venue.offer_part p
    WHERE p.offer = p_offer AND p.start_at <= p_offset ORDER BY p.start_at DESC LIMIT 1;
    RETURN coalesce(piece, '');
END $$;

CREATE FUNCTION venue.offer_result(p_session bigint, p_offer int, p_state text, p_detail text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
    moved int;
BEGIN
    IF p_state IS NULL OR p_state NOT IN ('taken', 'installed', 'failed', 'refused') OR length(p_detail) > 2000 THEN
        RAISE EXCEPTION 'offer_result: taken, installed, failed or refused, with at most 2000 letters' USING ERRCODE = '22023';
    END IF;
    PERFORM FROM venue.offer x WHERE x.offer = p_offer FOR UPDATE;
    UPDATE venue.offer_to t SET state = p_state, detail = coalesce(p_detail, ''), at = clock_timestamp()
    WHERE t.offer = p_offer AND t.cabinet = c.cabinet AND t.state IN ('offered', 'taken', 'withdrawn');
    GET DIAGNOSTICS moved = ROW_COUNT;
    IF moved = 0 AND NOT EXISTS (SELECT FROM venue.offer_to t WHERE t.offer = p_offer AND t.cabinet = c.cabinet) THEN
        RAISE EXCEPTION 'offer % was not made to cabinet %', p_offer, c.cabinet USING ERRCODE = '22023';
    END IF;
    IF moved > 0 AND p_state IN ('failed', 'refused') THEN
        PERFORM venue.raise_alarm('offer_failed', c.cabinet, format('offer %s %s', p_offer, c.cabinet),
                                  jsonb_build_object('offer', p_offer, 'state', p_state, 'detail', p_detail));
    END IF;
    PERFORM venue.advance_offer(p_offer);
END $$;

CREATE TABLE venue.wanted_round (
    cabinet int NOT NULL REFERENCES venue.cabinet,
    round bigint NOT NULL CHECK (round > 0),
    wanted_by text NOT NULL,
    wanted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    answered_at timestamptz,
    record jsonb,
    PRIMARY KEY (cabinet, round)
);
COMMENT ON COLUMN venue.wanted_round.record IS 'NULL after an answer: the cabinet has no such round';

CREATE FUNCTION venue.want_round(p_cabinet int, p_round bigint, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    INSERT INTO venue.wanted_round AS w (cabinet, round, wanted_by) VALUES (p_cabinet, p_round, p_by)
    ON CONFLICT (cabinet, round) DO UPDATE SET wanted_by = EXCLUDED.wanted_by, wanted_at = clock_timestamp(), answered_at = NULL
    WHERE w.record IS NULL;
    PERFORM venue.note(p_by, 'round asked for', p_cabinet, jsonb_build_object('round', p_round));
END $$;

CREATE FUNCTION venue.wanted(p_session bigint) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
BEGIN
    RETURN QUERY
        SELECT w.round FROM venue.wanted_round w WHERE w.cabinet = c.cabinet AND w.answered_at IS NULL ORDER BY 1 LIMIT 100;
END $$;

CREATE FUNCTION venue.round(p_session bigint, p_round bigint, p_record jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    c venue.cabinet := venue.caller(p_session);
BEGIN
    IF octet_length(p_record::text) > 4194304 THEN
        RAISE EXCEPTION 'round: a record has at most 4 MiB' USING ERRCODE = '22023';
    END IF;
    UPDATE venue.wanted_round w SET record = p_record, answered_at = clock_timestamp()
    WHERE w.cabinet = c.cabinet AND w.round = p_round AND w.answered_at IS NULL;
    IF FOUND THEN
        PERFORM venue.take_in(c.cabinet, octet_length(coalesce(p_record, 'null')::text));
    END IF;
END $$;

GRANT EXECUTE ON FUNCTION venue.offers, venue.fetch, venue.offer_result, venue.wanted, venue.round TO cabinets;
GRANT EXECUTE ON FUNCTION venue.new_offer, venue.add_part, venue.start_offer, venue.stop_offer, venue.want_round
    TO venue_page;
