-- The roles of a venue, which belong to the server and not to one database, and who may connect to this one. Run before
-- every migration: a dump has neither.
--   venue_owner     owns the schema; nobody logs in as it
--   venue_enroller  owns the one function that makes logins of cabinets; nobody logs in as it
--   cabinets        what a cabinet may do; each cabinet's login (cab_7) is a member
--   enrolment       a cabinet that has no login yet; no password, may ask for the authority and redeem a code
--   venue_page      the web page: reads all, acts through functions, owns the schema `page` for its own tables
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['venue_owner', 'venue_enroller', 'cabinets', 'enrolment', 'venue_page'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        END IF;
    END LOOP;
END $$;
ALTER ROLE venue_enroller CREATEROLE;
ALTER ROLE enrolment LOGIN CONNECTION LIMIT 5;
ALTER ROLE enrolment SET statement_timeout = '5s';
ALTER ROLE enrolment SET idle_in_transaction_session_timeout = '5s';
ALTER ROLE venue_page LOGIN;
-- Compiling the large views takes seconds, running them milliseconds.
ALTER ROLE venue_page SET jit = off;
GRANT cabinets TO venue_enroller WITH ADMIN OPTION;
GRANT pg_signal_backend TO venue_enroller;
DO $$
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO cabinets, enrolment, venue_page', current_database());
END $$;
