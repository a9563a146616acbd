-- Enrolment by a one-time code, replacement and retirement of cabinets.

-- The one function that makes logins. Its owner may create roles; it makes none but a cabinet's.
CREATE FUNCTION venue.set_login(p_role text, p_password text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF p_role !~ '^cab_[1-9][0-9]{0,8}$' THEN
        RAISE EXCEPTION '% is not a cabinet''s role', p_role USING ERRCODE = '22023';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = p_role) THEN
        IF p_password IS NULL THEN
            RETURN;
        END IF;
        EXECUTE format('CREATE ROLE %I IN ROLE cabinets', p_role);
    END IF;
    IF p_password IS NULL THEN
        EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', p_role);
    ELSE
        EXECUTE format('ALTER ROLE %I LOGIN CONNECTION LIMIT 4 PASSWORD %L', p_role, p_password);
        EXECUTE format('ALTER ROLE %I SET statement_timeout = ''10s''', p_role);
        EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''5s''', p_role);
    END IF;
    PERFORM pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.usename = p_role AND a.pid <> pg_backend_pid();
END $$;
ALTER FUNCTION venue.set_login OWNER TO venue_enroller;
REVOKE EXECUTE ON FUNCTION venue.set_login FROM PUBLIC;
GRANT EXECUTE ON FUNCTION venue.set_login TO venue_owner;
SET LOCAL ROLE venue_owner;

CREATE FUNCTION venue.note(p_by text, p_act text, p_cabinet int, p_detail jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
    INSERT INTO venue.audit (by, act, cabinet, detail) VALUES (p_by, p_act, p_cabinet, coalesce(p_detail, '{}'))
$$;

CREATE FUNCTION venue.authority() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
    SELECT authority FROM venue.site
$$;

-- Records a one-time code by the SHA-256 of its secret; venue.enrolment in Python makes secret and check digits.
CREATE FUNCTION venue.new_code(p_secret_hash bytea, p_replaces int, p_by text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    made bigint;
BEGIN
    IF octet_length(p_secret_hash) IS DISTINCT FROM 32 THEN
        RAISE EXCEPTION 'the SHA-256 of the secret has 32 bytes' USING ERRCODE = '22023';
    ELSIF p_replaces IS NOT NULL AND NOT EXISTS (SELECT FROM venue.cabinet k WHERE k.cabinet = p_replaces) THEN
        RAISE EXCEPTION 'there is no cabinet %', p_replaces USING ERRCODE = '22023';
    END IF;
    INSERT INTO venue.enrolment_code (secret_hash, replaces, made_by, expires_at, attempts_before)
    SELECT p_secret_hash, p_replaces, p_by, clock_timestamp() + interval '15 min', s.last_value
    FROM venue.enrolment_attempts s
    RETURNING code INTO made;
    PERFORM venue.note(p_by, 'enrolment code made', p_replaces, jsonb_build_object('code', made));
    RETURN made;
END $$;

CREATE FUNCTION venue.enrol(p_secret text, p_identity text, p_label text, p_program text,
                            OUT cabinet int, OUT role text, OUT password text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    attempt bigint := nextval('venue.enrolment_attempts');
    used venue.enrolment_code;
    old venue.cabinet;
BEGIN
    -- One at a time, so that two codes give two numbers; before any row is locked, as each call updates the other codes.
    LOCK TABLE venue.enrolment_code IN SHARE ROW EXCLUSIVE MODE;
    SELECT * INTO used FROM venue.enrolment_code e
    WHERE e.used_at IS NULL AND e.secret_hash = sha256(convert_to(coalesce(p_secret, ''), 'UTF8')) FOR UPDATE;
    IF used.code IS NULL OR used.expires_at < clock_timestamp() OR attempt - used.attempts_before > 5 THEN
        RAISE EXCEPTION 'this code is wrong, used or expired: make a new one on the page' USING ERRCODE = '28000';
    END IF;
    IF p_identity IS NULL OR p_identity !~ '^[0-9a-f]{64}$' OR length(p_label) > 200 OR length(p_program) > 200 THEN
        RAISE EXCEPTION 'enrol: the identity is 64 hex digits, label and program have at most 200 letters'
            USING ERRCODE = '22023';
    END IF;
    SELECT k.cabinet INTO cabinet FROM venue.cabinet k
    WHERE k.identity = p_identity AND NOT k.retired AND k.cabinet IS DISTINCT FROM used.replaces;
    IF FOUND THEN
        RAISE EXCEPTION 'this identity is enrolled as cabinet %: retire or replace that one', cabinet USING ERRCODE = '22023';
    END IF;
    IF used.replaces IS NULL THEN
        SELECT coalesce(max(k.cabinet), 0) + 1 INTO cabinet FROM venue.cabinet k;
        role := 'cab_' || cabinet;
        INSERT INTO venue.cabinet (cabinet, role, label, identity, program)
        VALUES (enrol.cabinet, enrol.role, coalesce(p_label, ''), p_identity, coalesce(p_program, ''));
    ELSE
        SELECT * INTO old FROM venue.cabinet k WHERE k.cabinet = used.replaces FOR UPDATE;
        cabinet := old.cabinet;
        role := old.role;
        INSERT INTO venue.replaced_identity (cabinet, identity)
        SELECT old.cabinet, old.identity WHERE old.identity IS NOT NULL AND old.identity <> p_identity
        ON CONFLICT DO NOTHING;
        DELETE FROM venue.replaced_identity r WHERE r.cabinet = old.cabinet AND r.identity = p_identity;
        UPDATE venue.cabinet k
        SET identity = p_identity, label = coalesce(nullif(p_label, ''), k.label), program = coalesce(p_program, ''),
            session = k.session + 1, fresh_next = true, retired = false
        WHERE k.cabinet = old.cabinet;
        -- Another machine's meters may all be higher: the difference was not played here.
        DELETE FROM venue.newest_reading n WHERE n.cabinet = old.cabinet AND old.identity IS DISTINCT FROM p_identity;
        INSERT INTO venue.chain (cabinet, branch, begun_by)
        SELECT old.cabinet, max(h.branch) + 1, 'enrolment' FROM venue.chain h WHERE h.cabinet = old.cabinet;
    END IF;
    -- Two UUIDs hold 244 random bits.
    password := encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex');
    PERFORM venue.set_login(role, password);
    UPDATE venue.enrolment_code e
    SET used_at = clock_timestamp(), cabinet = enrol.cabinet, secret_hash = '' WHERE e.code = used.code;
    -- A success is no attempt against the other codes.
    UPDATE venue.enrolment_code e SET attempts_before = e.attempts_before + 1 WHERE e.used_at IS NULL;
    PERFORM venue.note(used.made_by, CASE WHEN used.replaces IS NULL THEN 'enrolled' ELSE 'replaced' END, cabinet,
                       jsonb_build_object('code', used.code, 'identity', p_identity, 'before', old.identity));
END $$;

CREATE FUNCTION venue.retire(p_cabinet int, p_reason text, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    login name;
    found int;
BEGIN
    -- What it has not handed over is nobody's any more: papers that no desk knows, and papers that it holds for ever.
    SELECT count(*) INTO found FROM venue.ticket t WHERE t.state = 'held' AND t.holder = p_cabinet;
    IF found > 0 THEN
        RAISE EXCEPTION 'cabinet % holds tickets: %. Let it report their ends, or decide about each first', p_cabinet, found
            USING ERRCODE = '55000';
    ELSIF EXISTS (SELECT FROM venue.status s WHERE s.cabinet = p_cabinet AND s.at > clock_timestamp() - interval '1 min'
                  AND jsonb_typeof(s.status -> 'unsent') = 'number' AND s.status -> 'unsent' > '0') THEN
        RAISE EXCEPTION 'cabinet % has not handed over all that it has: wait, or take it off the line first', p_cabinet
            USING ERRCODE = '55000';
    END IF;
    UPDATE venue.cabinet k SET retired = true, session = k.session + 1 WHERE k.cabinet = p_cabinet AND NOT k.retired
    RETURNING k.role INTO login;
    IF login IS NULL THEN
        RAISE EXCEPTION 'there is no cabinet % in service', p_cabinet USING ERRCODE = '22023';
    END IF;
    PERFORM venue.set_login(login::text, NULL);
    PERFORM venue.note(p_by, 'retired', p_cabinet, jsonb_build_object('reason', p_reason));
END $$;

CREATE FUNCTION venue.rename_cabinet(p_cabinet int, p_label text, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    UPDATE venue.cabinet k SET label = p_label WHERE k.cabinet = p_cabinet;
    IF NOT FOUND OR length(p_label) > 200 THEN
        RAISE EXCEPTION 'there is no cabinet %, or its name is too long', p_cabinet USING ERRCODE = '22023';
    END IF;
    PERFORM venue.note(p_by, 'renamed', p_cabinet, jsonb_build_object('label', p_label));
END $$;

GRANT EXECUTE ON FUNCTION venue.authority, venue.enrol TO enrolment;
GRANT EXECUTE ON FUNCTION venue.authority, venue.new_code, venue.retire, venue.rename_cabinet, venue.note TO venue_page;
