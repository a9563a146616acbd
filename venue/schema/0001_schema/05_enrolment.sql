-- Enrolment by a one-time code, replacement and retirement of cabinets.

-- Logins are cab_7, a cabinet's, and enrol_042, that of a code. Whoever holds one may change its password and most of
-- its settings (PostgreSQL forbids that to nobody), and nothing else: so no two people hold the same one, the settings are
-- put back whenever somebody else gets it and every few seconds (venue.watch), and those that the others need to be safe
-- from it are such as only a superuser changes: the room for temporary files, and the server's log.
CREATE FUNCTION venue.login_settings() RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN ARRAY['idle_in_transaction_session_timeout=5s', 'log_min_messages=fatal', 'statement_timeout=10s',
                 'temp_file_limit=64MB'];
END $$;

-- The settings of some logins, for all databases (no place) and for one. Left out are two that say who a session acts as,
-- and those of libraries that are not in use here: a function cannot put them back, and none of them matters to a call.
CREATE FUNCTION venue.settings_of(p_roles name[]) RETURNS TABLE (role name, place name, name text, item text)
LANGUAGE sql STABLE AS $$
    SELECT r.rolname, d.datname, n.name, x.item
    FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase
    CROSS JOIN unnest(s.setconfig) x(item) JOIN pg_settings n ON n.name = split_part(x.item, '=', 1)
    WHERE r.rolname = ANY (p_roles)
$$;

-- Gives a login the settings of venue.login_settings and no others, in no database.
CREATE FUNCTION venue.reset_login(p_role text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own record;
    item text;
BEGIN
    FOR own IN SELECT * FROM venue.settings_of(ARRAY[p_role::name]) LOOP
        EXECUTE format('ALTER ROLE %I %s RESET %I', p_role, coalesce('IN DATABASE ' || quote_ident(own.place), ''), own.name);
    END LOOP;
    FOREACH item IN ARRAY venue.login_settings() LOOP
        EXECUTE format('ALTER ROLE %I SET %I = %L', p_role, split_part(item, '=', 1), split_part(item, '=', 2));
    END LOOP;
END $$;

-- Ends the sessions of a login, but this one, and waits for their end: what they hold is free then.
CREATE FUNCTION venue.end_sessions(p_role text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_terminate_backend(a.pid, 2000) FROM pg_stat_activity a WHERE a.usename = p_role AND a.pid <> pg_backend_pid()
$$;

-- Executes an ALTER ROLE of a login. Its holder may be changing it in a transaction that is left open, for which this
-- would wait: its sessions are ended, as often as it comes back.
CREATE FUNCTION venue.alter_login(p_role text, p_how text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms' AS $$
BEGIN
    FOR try IN 1..10 LOOP
        BEGIN
            EXECUTE format('ALTER ROLE %I %s', p_role, p_how);
            RETURN;
        EXCEPTION WHEN lock_not_available OR internal_error THEN  -- held, or changed meanwhile ("concurrently updated")
            PERFORM venue.end_sessions(p_role);
        END;
    END LOOP;
    RAISE EXCEPTION 'the holder of login % keeps changing it: try again', p_role USING ERRCODE = '55006';
END $$;

-- Makes a login or gives it another password, until p_until where that is said; without a password it ends the login.
CREATE FUNCTION venue.set_login(p_role text, p_password text, p_until timestamptz DEFAULT 'infinity') RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF p_role !~ '^(cab_[1-9][0-9]{0,8}|enrol_[0-9]{3})$' THEN
        RAISE EXCEPTION '% is not a login of a cabinet or a code', p_role USING ERRCODE = '22023';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = p_role) THEN
        IF p_password IS NULL THEN
            RETURN;
        END IF;
        EXECUTE format('CREATE ROLE %I IN ROLE %I', p_role, CASE WHEN p_role LIKE 'cab%' THEN 'cabinets' ELSE 'enrolment' END);
    END IF;
    IF p_password IS NULL THEN
        PERFORM venue.alter_login(p_role, 'NOLOGIN PASSWORD NULL');
    ELSE
        PERFORM venue.alter_login(p_role, format('LOGIN CONNECTION LIMIT 4 PASSWORD %L VALID UNTIL %L', p_password, p_until));
        PERFORM venue.end_sessions(p_role);
        PERFORM venue.reset_login(p_role);
    END IF;
    PERFORM venue.end_sessions(p_role);
END $$;

-- Shuts a cabinet's login, whose password stays, and ends its sessions; or opens it again.
CREATE FUNCTION venue.shut_login(p_role text, p_shut bool) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF p_role !~ '^cab_[1-9][0-9]{0,8}$' THEN
        RAISE EXCEPTION '% is not a login of a cabinet', p_role USING ERRCODE = '22023';
    END IF;
    PERFORM venue.alter_login(p_role, CASE WHEN p_shut THEN 'NOLOGIN' ELSE 'LOGIN' END);
    PERFORM venue.end_sessions(p_role);
    IF NOT p_shut THEN
        PERFORM venue.reset_login(p_role);
    END IF;
END $$;

-- Puts back the settings of those logins that have others, and ends sessions that have worked for longer than p_longest, or
-- than p_blocking while another waits for them, and all of a login that has ended. Returns which login did what. One is
-- `held` where it was its holder who made it so long, which takes lifted timeouts: not where the session itself waits, for
-- the disk or for another. One whose holder does not take what the server sends is not at rest either: messages (NOTIFY)
-- that wait for it fill the disk.
CREATE FUNCTION venue.keep_logins(p_roles name[], p_longest interval, p_blocking interval)
RETURNS TABLE (role name, altered bool, ended bool, held bool)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms' AS $$
#variable_conflict use_column
BEGIN
    FOR role, altered, ended, held IN
        WITH login AS (
            SELECT r.oid, r.rolname, r.rolcanlogin AND coalesce(r.rolvaliduntil > clock_timestamp(), true) AS is_valid
            FROM pg_roles r WHERE r.rolname = ANY (p_roles)
        ), setting AS (
            SELECT x.role, array_agg(x.item ORDER BY x.item) AS items, bool_or(x.place IS NOT NULL) AS in_a_place
            FROM venue.settings_of(p_roles) x GROUP BY x.role
        ), blocking AS MATERIALIZED (
            SELECT DISTINCT x.pid FROM pg_stat_activity w CROSS JOIN unnest(pg_blocking_pids(w.pid)) x(pid)
            WHERE w.wait_event_type = 'Lock'
        ), session AS (
            SELECT b.pid, b.usesysid, l.is_valid,
                   b.state = 'idle' AND b.wait_event IS DISTINCT FROM 'ClientWrite' AS is_idle,
                   clock_timestamp() - least(b.xact_start, b.query_start) AS age,
                   b.state <> 'active' OR coalesce(b.wait_event_type, '') NOT IN ('IO', 'IPC', 'LWLock', 'Lock') AS by_itself
            FROM pg_stat_activity b JOIN login l ON l.oid = b.usesysid
        ), gone AS (
            SELECT s.usesysid, bool_or(pg_terminate_backend(s.pid)) AS is_gone, bool_or(s.is_valid AND s.by_itself) AS is_held
            FROM session s
            WHERE NOT s.is_valid OR (NOT s.is_idle AND (s.age > p_longest OR (
                s.age > p_blocking AND s.by_itself AND s.pid IN (SELECT b.pid FROM blocking b))))
            GROUP BY s.usesysid
        )
        SELECT l.rolname, l.is_valid AND (s.items IS DISTINCT FROM venue.login_settings() OR s.in_a_place),
               coalesce(g.is_gone, false), coalesce(g.is_held, false)
        FROM login l LEFT JOIN setting s ON s.role = l.rolname LEFT JOIN gone g ON g.usesysid = l.oid
    LOOP
        IF altered THEN
            BEGIN
                PERFORM venue.reset_login(role::text);
            EXCEPTION WHEN lock_not_available OR internal_error THEN
                -- It has its settings in a transaction that is open: the next round puts them back.
                PERFORM venue.end_sessions(role::text);
                ended := true;
                held := true;
            END;
        END IF;
        IF altered OR ended THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
ALTER FUNCTION venue.settings_of OWNER TO venue_enroller;
ALTER FUNCTION venue.login_settings OWNER TO venue_enroller;
ALTER FUNCTION venue.reset_login OWNER TO venue_enroller;
ALTER FUNCTION venue.end_sessions OWNER TO venue_enroller;
ALTER FUNCTION venue.alter_login OWNER TO venue_enroller;
ALTER FUNCTION venue.set_login OWNER TO venue_enroller;
ALTER FUNCTION venue.shut_login OWNER TO venue_enroller;
ALTER FUNCTION venue.keep_logins OWNER TO venue_enroller;
REVOKE EXECUTE ON FUNCTION venue.settings_of, venue.login_settings, venue.reset_login, venue.end_sessions, venue.alter_login,
    venue.set_login, venue.shut_login, venue.keep_logins FROM PUBLIC;
GRANT EXECUTE ON FUNCTION venue.end_sessions, venue.set_login, venue.shut_login, venue.keep_logins TO venue_owner;
SET LOCAL ROLE venue_owner;

CREATE FUNCTION venue.note(p_by text, p_act text, p_cabinet int, p_detail jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
    INSERT INTO venue.audit (by, act, cabinet, detail) VALUES (p_by, p_act, p_cabinet, coalesce(p_detail, '{}'))
$$;

-- Makes a one-time code's login: p_verifier is PostgreSQL's own of its secret (venue.codes in Python), which is neither
-- sent nor stored. Returns the number of the login.
CREATE FUNCTION venue.new_code(p_verifier text, p_replaces int, p_by text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    until timestamptz := clock_timestamp() + interval '15 min';
    number int;
    login text;
    made bigint;
BEGIN
    IF p_verifier IS NULL OR p_verifier !~ '^SCRAM-SHA-256\$[0-9]+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$' THEN
        RAISE EXCEPTION 'a verifier of SCRAM-SHA-256 is needed' USING ERRCODE = '22023';
    ELSIF p_replaces IS NOT NULL AND NOT EXISTS (SELECT FROM venue.cabinet k WHERE k.cabinet = p_replaces) THEN
        RAISE EXCEPTION 'there is no cabinet %', p_replaces USING ERRCODE = '22023';
    END IF;
    -- One at a time, so that two codes have two logins.
    LOCK TABLE venue.enrolment_code IN SHARE ROW EXCLUSIVE MODE;
    SELECT min(n) INTO number FROM generate_series(0, 999) n
    WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = 'enrol_' || to_char(n, 'FM000')
                      AND r.rolcanlogin AND r.rolvaliduntil > clock_timestamp());
    IF number IS NULL THEN
        RAISE EXCEPTION 'a thousand codes wait already: use them, or wait a quarter of an hour' USING ERRCODE = '55000';
    END IF;
    login := 'enrol_' || to_char(number, 'FM000');
    PERFORM venue.set_login(login, p_verifier, until);
    INSERT INTO venue.enrolment_code (login, replaces, made_by, expires_at) VALUES (login, p_replaces, p_by, until)
    RETURNING code INTO made;
    PERFORM venue.note(p_by, 'enrolment code made', p_replaces, jsonb_build_object('code', made));
    RETURN number;
END $$;

-- Enrols the cabinet that has logged in by a code, which is used up by it.
CREATE FUNCTION venue.enrol(p_identity text, p_label text, p_program text,
                            OUT cabinet int, OUT role text, OUT password text, OUT authority text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    used venue.enrolment_code;
    old venue.cabinet;
BEGIN
    PERFORM venue.notice_move();
    -- One at a time, so that two codes give two numbers.
    LOCK TABLE venue.enrolment_code IN SHARE ROW EXCLUSIVE MODE;
    SELECT * INTO used FROM venue.enrolment_code e
    WHERE e.login = session_user AND e.used_at IS NULL AND e.expires_at > clock_timestamp()
    ORDER BY e.code DESC LIMIT 1;
    IF used.code IS NULL THEN
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
        VALUES (enrol.cabinet, enrol.role, coalesce(left(p_label, 60), ''), p_identity, coalesce(left(p_program, 60), ''));
    ELSE
        SELECT * INTO old FROM venue.cabinet k WHERE k.cabinet = used.replaces FOR UPDATE;
        cabinet := old.cabinet;
        role := old.role;
        INSERT INTO venue.replaced_identity (cabinet, identity)
        SELECT old.cabinet, old.identity WHERE old.identity IS NOT NULL AND old.identity <> p_identity
        ON CONFLICT DO NOTHING;
        DELETE FROM venue.replaced_identity r WHERE r.cabinet = old.cabinet AND r.identity = p_identity;
        UPDATE venue.cabinet k
        SET identity = p_identity, label = coalesce(nullif(left(p_label, 60), ''), k.label),
            program = coalesce(left(p_program, 60), ''),
            session = k.session + 1, fresh_next = true, retired = false, distrusted = false
        WHERE k.cabinet = old.cabinet;
        DELETE FROM venue.closed_login o WHERE o.cabinet = old.cabinet;
        -- Another machine's meters may all be higher: the difference was not played here.
        DELETE FROM venue.newest_reading n WHERE n.cabinet = old.cabinet AND old.identity IS DISTINCT FROM p_identity;
        INSERT INTO venue.chain (cabinet, branch, begun_by)
        SELECT old.cabinet, max(h.branch) + 1, 'enrolment' FROM venue.chain h WHERE h.cabinet = old.cabinet;
    END IF;
    -- Two UUIDs hold 244 random bits.
    password := encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex');
    PERFORM venue.set_login(role, password);
    PERFORM venue.set_login(used.login::text, NULL);
    UPDATE venue.enrolment_code e SET used_at = clock_timestamp(), cabinet = enrol.cabinet WHERE e.code = used.code;
    SELECT t.authority INTO authority FROM venue.site t;
    PERFORM venue.note(used.made_by, CASE WHEN used.replaces IS NULL THEN 'enrolled' ELSE 'replaced' END, cabinet,
                       jsonb_build_object('code', used.code, 'identity', p_identity, 'before', old.identity));
END $$;

-- Logins that somebody has closed, of cabinets in service. Without a reference, whose lock would wait for what the cabinet
-- holds of its own row.
CREATE TABLE venue.closed_login (
    cabinet int PRIMARY KEY,
    reason text NOT NULL CHECK (reason <> ''),
    by text NOT NULL CHECK (by <> ''),
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Closes a cabinet's login at once. It takes no lock that the cabinet could have; what it says of itself plays no part.
CREATE FUNCTION venue.close_login(p_cabinet int, p_reason text, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    login name;
BEGIN
    SELECT k.role INTO login FROM venue.cabinet k WHERE k.cabinet = p_cabinet AND NOT k.retired;
    IF login IS NULL THEN
        RAISE EXCEPTION 'there is no cabinet % in service', p_cabinet USING ERRCODE = '22023';
    END IF;
    INSERT INTO venue.closed_login (cabinet, reason, by) VALUES (p_cabinet, p_reason, p_by) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the login of cabinet % is closed already', p_cabinet USING ERRCODE = '55000';
    END IF;
    PERFORM venue.shut_login(login::text, true);
    PERFORM venue.note(p_by, 'login closed', p_cabinet, jsonb_build_object('reason', p_reason));
END $$;

CREATE FUNCTION venue.retire(p_cabinet int, p_reason text, p_by text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    login name;
    found int;
BEGIN
    -- What it has not handed over is nobody's any more: papers that no desk knows, and papers that it holds for ever. A
    -- cabinet that is not trusted in this is retired by two people (venue.propose_distrust).
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
    DELETE FROM venue.closed_login o WHERE o.cabinet = p_cabinet;
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

GRANT EXECUTE ON FUNCTION venue.enrol TO enrolment;
GRANT EXECUTE ON FUNCTION venue.new_code, venue.close_login, venue.retire, venue.rename_cabinet, venue.note TO venue_page;
