-- The roles of a venue, which belong to the server and not to one database, and who may connect to this one. Run before
-- every migration: a dump has neither.
--   venue_owner     owns the schema; nobody logs in as it
--   venue_enroller  owns the functions that make, limit and end logins of cabinets; nobody logs in as it
--   cabinets        what a cabinet may do; each cabinet's login (cab_7) is a member
--   enrolment       may redeem a code; each code's login (enrol_042) is a member, with the code's secret as its password
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
ALTER ROLE enrolment NOLOGIN PASSWORD NULL;
ALTER ROLE enrolment RESET ALL;
-- So many that no cabinet is kept out by them; the page has eight threads.
ALTER ROLE venue_page LOGIN CONNECTION LIMIT 40;
ALTER ROLE venue_page RESET ALL;
ALTER ROLE venue_page SET idle_in_transaction_session_timeout = '60s';
-- Compiling the large views takes seconds, running them milliseconds.
ALTER ROLE venue_page SET jit = off;
-- The page keeps its own errors.
ALTER ROLE venue_page SET log_min_messages = 'fatal';
ALTER ROLE venue_page SET temp_file_limit = '1GB';
GRANT cabinets, enrolment TO venue_enroller WITH ADMIN OPTION;
GRANT pg_signal_backend, pg_read_all_stats TO venue_enroller;
-- Settings of a login that its holder cannot change.
GRANT SET ON PARAMETER temp_file_limit, log_min_messages TO venue_enroller;
DO $$
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('ALTER ROLE venue_page IN DATABASE %I RESET ALL', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO cabinets, enrolment, venue_page', current_database());
END $$;
