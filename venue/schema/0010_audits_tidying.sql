-- The nightly audit's result, which alarms, and what the daily tidying removes.
SET LOCAL ROLE venue_owner;

CREATE TABLE venue.audit_run (
    run bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    by text NOT NULL,
    checked text[] NOT NULL,
    failures text[] NOT NULL
);
COMMENT ON TABLE venue.audit_run IS 'each run of `cabinet venue audit`: what it proved, and what it did not';

INSERT INTO venue.alarm_rule (code, source, severity, figure, escalate_after) VALUES
    ('audit_failed', 'trouble', 'critical', NULL, '5 min'),
    ('audit_old', 'trouble', 'warning', 48, NULL);

-- What of the troubles can be seen at any time, and what only the newest audit has found.
ALTER VIEW venue.trouble RENAME TO trouble_seen;
CREATE VIEW venue.trouble AS
    SELECT * FROM venue.trouble_seen
    UNION ALL
    SELECT r.code, r.code, NULL, jsonb_build_object('since', u.at, 'failures', to_jsonb(u.failures[1:5]))
    FROM venue.alarm_rule r, (SELECT * FROM venue.audit_run ORDER BY run DESC LIMIT 1) u
    WHERE r.code = 'audit_failed' AND r.enabled AND u.failures <> '{}'
    UNION ALL
    SELECT r.code, r.code, NULL, jsonb_build_object('newest', u.at)
    FROM venue.alarm_rule r, (SELECT max(at) AS at FROM venue.audit_run) u, venue.site t
    WHERE r.code = 'audit_old' AND r.enabled
      AND coalesce(u.at, t.made_at) < clock_timestamp() - make_interval(hours => r.figure::int);

-- Daily: partitions, the meters as they are now, and what nobody asks for any more.
CREATE FUNCTION venue.tidy() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, venue, pg_temp AS $$
BEGIN
    INSERT INTO venue.meter_mark AS x (pool, cabinet, epoch, seq, cum)
    SELECT m.pool, m.cabinet, m.epoch, m.seq, m.cum FROM venue.meter m
    ON CONFLICT (pool, cabinet, epoch) DO UPDATE SET seq = EXCLUDED.seq, cum = EXCLUDED.cum
    WHERE EXCLUDED.cum >= x.cum AND EXCLUDED.seq >= x.seq;
    DELETE FROM venue.enrolment_code e WHERE e.used_at IS NULL AND e.expires_at < clock_timestamp() - interval '1 day';
    DELETE FROM venue.offer_part p USING venue.offer o
    WHERE o.offer = p.offer AND o.state IN ('done', 'stopped') AND o.ended_at < clock_timestamp() - interval '3 months';
    DELETE FROM venue.wanted_round w WHERE w.wanted_at < clock_timestamp() - interval '24 months';
    DELETE FROM venue.alarm_message m USING venue.alarm a
    WHERE a.alarm = m.alarm AND a.over_at < clock_timestamp() - interval '24 months';
    DELETE FROM venue.alarm a WHERE a.over_at < clock_timestamp() - interval '24 months';
    DELETE FROM venue.audit_run u WHERE u.at < clock_timestamp() - interval '24 months';
    RETURN venue.arrange_partitions(current_date);
END $$;

GRANT SELECT ON venue.audit_run, venue.trouble, venue.trouble_seen TO venue_page;
GRANT EXECUTE ON FUNCTION venue.tidy TO venue_page;
