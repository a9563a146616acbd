"""A year of 200 cabinets, as `venue/schema` stores it, written by SQL alone: what its calls would have left behind."""

from typing import LiteralString

from gamekit.catalogue import names
from tests.rigs.postgres import VenueDatabase

CABINETS = 200
DAYS = 365
UNREAD = ("reading", "ledger_row")
"""The largest tables, for the books alone: hourly readings (1.8 million a year) and each movement of the ledgers."""

_ONCE: tuple[LiteralString, ...] = (
    # 200 cabinets, two of them retired, three away, some with a fault or an open door.
    """
    INSERT INTO venue.cabinet (
        cabinet, role, label, identity, program, epoch, session, retired, enrolled_at, hello_at)
    SELECT n, 'cab_' || n, 'Row ' || (n - 1) / 20 + 1 || ', place ' || (n - 1) % 20 + 1, lpad(to_hex(n), 64, '0'),
           '0.3.0', 1 + n % 3, 1000 + n, n > 198, now() - interval '380 days', now() - interval '3 hours'
    FROM generate_series(1, 200) n
    """,
    """
    INSERT INTO venue.status (cabinet, at, session, status, clock_off_ms)
    SELECT n, CASE WHEN n % 70 = 0 THEN now() - interval '2 days' ELSE now() END, 1000 + n,
           jsonb_build_object(
               'state', (ARRAY['idle', 'round', 'attract', 'autospin', 'handpay', 'lobby'])[n % 6 + 1],
               'game', (ARRAY(SELECT game FROM games ORDER BY game))[n % (SELECT count(*)::integer FROM games) + 1],
               'credit_cents', n * 137, 'currency', 'EUR',
               'doors', CASE WHEN n % 50 = 0 THEN '["main_door"]'::jsonb ELSE '[]' END,
               'faults', CASE WHEN n % 9 = 0
                   THEN '[{"code": "hopper_low", "place": "hopper", "stops_play": false}]'::jsonb ELSE '[]' END,
               'software', jsonb_build_object('version', '0.3.0', 'state', 'running'),
               'books', jsonb_build_object(
                   'proved_at_ms', extract(epoch FROM now())::bigint * 1000 - 3600000, 'whole', true),
               'health', jsonb_build_object('temperature_c', 45 + n % 20, 'disk_free_mb', 20000 + n, 'commit_ms', 4.5)),
           n - 100
    FROM generate_series(1, 200) n
    """,
    # Three games' coins have a pool each; every cabinet has contributed in up to three epochs.
    """
    INSERT INTO venue.pool (pool, game, coin, seed, rate_per_mille)
    SELECT n, CASE WHEN n <= 4 THEN 'bewitched' ELSE 'mona_lisa_jewels' END, (ARRAY[5, 10, 25, 50])[(n - 1) % 4 + 1],
           2000 * (ARRAY[5, 10, 25, 50])[(n - 1) % 4 + 1] * 1000::bigint, 5
    FROM generate_series(1, 8) n
    """,
    """
    INSERT INTO venue.meter (pool, cabinet, epoch, seq, cum)
    SELECT p, c, e, 500000, 60000000000 + c
    FROM generate_series(1, 8) p, generate_series(1, 200) c, generate_series(1, 3) e
    """,
    # Each pool is hit 1,000 times a year.
    """
    INSERT INTO venue.claim (cabinet, epoch, round, number, pool, hit, seed, rate_per_mille, award, at)
    SELECT h * 7 % 200 + 1, 1, h * 1000 + q.pool, 0, q.pool, h, q.seed, 5, q.seed + 5 * q.unit,
           now() - interval '365 days' + h * interval '8 hours 45 minutes'
    FROM venue.pool q, generate_series(1, 1000) h
    """,
    "UPDATE venue.pool SET hits = 1000, base = 1000 * 5 * unit",
    """
    INSERT INTO venue.adjustment (pool, amount, reason, proposed_by, proposed_at, state)
    SELECT n % 8 + 1, 100000, 'counted anew', 'olga', now() - n * interval '1 day', 'rejected'
    FROM generate_series(1, 300) n
    """,
    """
    UPDATE venue.chain SET newest_row = 5000000, seen_row = 5000000, seen_hash = sha256('row'), seen_at = now()
    """,
    # What each day counted.
    """
    INSERT INTO venue.day_game (day, cabinet, game, rounds, stakes, wins)
    SELECT current_date - d, c, g, 300 + (c * 7 + d * 13) % 100, (300 + (c * 7 + d * 13) % 100) * 150,
           (300 + (c * 7 + d * 13) % 100) * (138 + (c + d) % 9)
    FROM generate_series(0, 364) d, generate_series(1, 200) c, games AS named(g)
    """,
    """
    INSERT INTO venue.day_meter (day, cabinet, meters)
    SELECT day, cabinet, jsonb_build_object(
        'stakes', sum(stakes), 'wins', sum(wins), 'games', sum(rounds), 'coins_in', 30000, 'notes_in', 90000,
        'hopper_out', 50000, 'hand_pay', 40000, 'drop', 100000, 'won_jackpots', 0, 'coins_to_hopper', 20000)
    FROM venue.day_game GROUP BY day, cabinet
    """,
    # A cash box each week, counted but for the newest.
    """
    INSERT INTO venue.collection (cabinet, epoch, seq, day, at, drop_cents, coins_cents, notes_cents)
    SELECT c, 1, 10000 + w, current_date - 7 * w, now() - w * interval '7 days', 700000, 70000, 630000
    FROM generate_series(51, 0, -1) w, generate_series(1, 200) c
    """,
    """
    INSERT INTO venue.counted (collection, revision, coins_cents, notes_cents, by)
    SELECT collection, 1, 70000 - CASE WHEN collection % 100 = 0 THEN 200 ELSE 0 END, 630000, 'carl'
    FROM venue.collection WHERE day < current_date
    """,
    # 20 events a day and cabinet, with the words that cabinets send.
    """
    INSERT INTO venue.event (cabinet, epoch, seq, code, said, body, cab_at, at)
    SELECT c, 1, (364 - d) * 20 + n, k.code,
           (SELECT array_agg(value) FROM jsonb_each_text(
               k.figures || jsonb_build_object('template', k.template, 'who', 'technician')) WHERE value !~ '^[0-9]+$'),
           jsonb_build_object(
               'template', k.template, 'text', replace(k.text, '#', (d * 20 + n)::text),
               'figures', k.figures || jsonb_build_object(
                   'round', d * 20 + n, 'who', 'technician', 'won_cents', n * 100, 'amount_cents', n * 100)),
           now() - d * interval '1 day' - n * interval '1 hour',
           now() - d * interval '1 day' - n * interval '1 hour'
    FROM generate_series(0, 364) d CROSS JOIN generate_series(1, 20) n CROSS JOIN generate_series(1, 200) c
    JOIN (VALUES
        (0, 'power_up', 'The program {how}', 'The program was started', '{"how": "was started"}'::jsonb),
        (1, 'service_menu', 'Service menu opened by the {who}', 'Service menu opened by the technician', '{}'),
        (2, 'large_win', 'Large win of {won_cents} in round {round}', 'Large win of 12.00 in round #', '{}'),
        (3, 'door_open', 'The {place} is open', 'The main door is open', '{"place": "main door"}'),
        (4, 'fault_cleared', '{fault} (cleared by: {who})', 'The main door is open (cleared by: technician)',
         '{"fault": "The {place} is open", "place": "main door"}'),
        (5, 'hopper_low', 'The {place} needs coins soon', 'The hopper needs coins soon', '{"place": "hopper"}'),
        (6, 'payout_ended', 'The hopper paid all of {amount_cents}', 'The hopper paid all of 12.00', '{}'),
        (7, 'notes_rejected', 'The {place} has rejected too many notes',
         'The bill validator has rejected too many notes', '{"place": "bill validator"}'),
        (8, 'collection', 'Collected, and the period closed, by the {who}',
         'Collected, and the period closed, by the technician', '{}'),
        (9, 'volume', 'Sound switched off by the {who}', 'Sound switched off by the technician', '{}'),
        (10, 'jackpot', 'The venue pays {amount_cents} for the jackpot of round {round} (hit {hit})',
         'The venue pays 1,250.00 for the jackpot of round # (hit 7)', '{"hit": 7}'),
        (11, 'coin_rejected', 'Coin rejected: {reason} (code {reject})', 'Coin rejected: unknown (code 3)',
         '{"reason": "unknown", "reject": 3}'),
        (12, 'update', '{new} plays in place of {old}', '0.3.0 plays in place of 0.2.9',
         '{"new": "0.3.0", "old": "0.2.9"}'),
        (13, 'pin_wrong', 'PIN of {name}: wrong', 'PIN of Anna: wrong', '{"name": "Anna"}'),
        (14, 'round_recovered', 'Round {round} of {game}, interrupted after step {step}: {how}',
         'Round # of Neptune, interrupted after step 3: went on', '{"game": "Neptune", "step": 3, "how": "went on"}')
    ) k (number, code, template, text, figures) ON k.number = (c + n + d) % 15
    """,
    # The status every ten minutes of a month: the page reads two weeks of one cabinet by their key.
    """
    INSERT INTO venue.status_history (cabinet, at, status)
    SELECT s.cabinet, now() - n * interval '10 minutes', s.status FROM venue.status s, generate_series(1, 4320) n
    """,
    # An alarm a day and cabinet, with two messages each; 150 are open.
    """
    INSERT INTO venue.alarm (
        key, code, cabinet, severity, lasting, detail, since, last_at, over_at, acknowledged_by, acknowledged_at)
    SELECT format('fault %s %s', c, d), (ARRAY['fault', 'link_lost', 'jackpot', 'temperature'])[(c + d) % 4 + 1], c,
           (ARRAY['critical', 'warning', 'info'])[(c + d) % 3 + 1], true, '{"code": "hopper_low", "place": "hopper"}',
           t.at, t.at, CASE WHEN d > 0 OR c > 150 THEN t.at + interval '1 hour' END,
           CASE WHEN d > 0 THEN 'carl' END, CASE WHEN d > 0 THEN t.at + interval '5 minutes' END
    FROM generate_series(364, 0, -1) d, generate_series(1, 200) c,
         LATERAL (SELECT now() - d * interval '1 day' - c * interval '1 minute' AS at) t
    """,
    """
    INSERT INTO venue.alarm_message (alarm, channel, made_at, sent_at, tries)
    SELECT alarm, k, since, since, 1 FROM venue.alarm, unnest(ARRAY['Staff', 'House']) k
    """,
    """
    INSERT INTO venue.audit (at, by, act, cabinet, detail)
    SELECT now() - (100000 - n) * interval '5 minutes', (ARRAY['anna', 'olga', 'otto', 'carl'])[n % 4 + 1],
           (ARRAY['logged in', 'alarm acknowledged', 'cash counted', 'export', 'round asked for'])[n % 5 + 1],
           n % 200 + 1, jsonb_build_object('table', 'days', 'kind', 'csv')
    FROM generate_series(1, 100000) n
    """,
    """
    INSERT INTO venue.offer (kind, name, size, sha256, state, made_by, made_at, started_at, ended_at)
    SELECT 'bundle', 'cabinet-0.' || n || '.0.cabinet', 80000000, sha256('signed'),
           CASE WHEN n < 40 THEN 'done' ELSE 'draft' END, 'olga', now() - (40 - n) * interval '9 days', now(), now()
    FROM generate_series(1, 40) n
    """,
    """
    INSERT INTO venue.offer_to (offer, cabinet, place, state)
    SELECT o, c, c, 'installed' FROM generate_series(1, 39) o, generate_series(1, 200) c
    """,
    """
    INSERT INTO venue.wanted_round (cabinet, round, wanted_by, wanted_at, answered_at, record)
    SELECT n % 200 + 1, n, 'carl', now() - n * interval '4 hours', now(),
           '{"game": "neptune", "segments": [], "win_cents": 0}'
    FROM generate_series(1, 2000) n
    """,
    """
    INSERT INTO venue.month_close (month, closed_by, closed_at, sha256)
    SELECT m::date, 'olga', m + interval '33 days', sha256('month')
    FROM generate_series(
        date_trunc('month', current_date - 364), date_trunc('month', current_date) - interval '2 months',
        interval '1 month') m
    """,
    """
    INSERT INTO venue.month_figure (month, cabinet, game, rounds, stakes, wins, meters)
    SELECT date_trunc('month', day)::date, cabinet, game, sum(rounds), sum(stakes), sum(wins), NULL
    FROM venue.day_game JOIN venue.month_close ON month = date_trunc('month', day) GROUP BY 1, 2, 3
    """,
    """
    INSERT INTO venue.backup (at, path, size, sha256)
    SELECT now() - n * interval '1 day', '/var/backups/cabinet-venue/' || n, 900000000, sha256('dump')
    FROM generate_series(364, 0, -1) n
    """,
)


def fill(database: VenueDatabase) -> dict[str, int]:
    """Write the year, and return how many rows each table of it has.

    Triggers and foreign keys are off meanwhile, as for a restored backup. `UNREAD` are left empty: no page reads them.
    """
    with database.connect() as admin:
        admin.execute("SET synchronous_commit = off")
        admin.execute("SET maintenance_work_mem = '256MB'")
        for back in range(12, -1, -1):
            admin.execute(
                "SELECT venue.arrange_partitions("
                "(date_trunc('month', current_date) - make_interval(months => %s))::date, 0)",
                (back,),
            )
        admin.execute("CREATE TEMPORARY TABLE games AS SELECT unnest(%s::text[]) AS game", (list(names()),))
        admin.execute(_ONCE[0])
        admin.execute("SET session_replication_role = replica")
        indexes = [
            index
            for name in ("venue.event_text", "venue.event_said")
            for (index,) in admin.execute("SELECT pg_get_indexdef(%s::regclass)", (name,)).fetchall()
        ]
        admin.execute("DROP INDEX venue.event_text, venue.event_said")
        for statement in _ONCE[1:]:
            admin.execute(statement)
        for index in indexes:  # at the end, which is faster
            admin.execute(index.replace(" ON ONLY ", " ON ").encode())
        admin.execute("RESET session_replication_role")
        admin.execute("VACUUM ANALYZE")
        counted = admin.execute(
            "SELECT coalesce(p.inhparent::regclass::text, c.oid::regclass::text),"
            " sum(greatest(c.reltuples, 0))::bigint FROM pg_class c LEFT JOIN pg_inherits p ON p.inhrelid = c.oid"
            " WHERE c.relkind = 'r' AND c.relnamespace = 'venue'::regnamespace GROUP BY 1 ORDER BY 2 DESC LIMIT 8"
        ).fetchall()
        return dict(counted)
