-- Indexes for the page's searches: events of a cabinet, events by a piece of their text, a cabinet's money and alarms.
CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
SET LOCAL ROLE venue_owner;

CREATE INDEX event_cabinet_at ON venue.event (cabinet, at);
-- Pieces of three letters; the page searches for longer ones by it.
CREATE INDEX event_text ON venue.event USING gin (lower(coalesce(body ->> 'text', body::text)) public.gin_trgm_ops);
CREATE INDEX event_said ON venue.event USING gin (said);
CREATE INDEX alarm_cabinet ON venue.alarm (cabinet, since);
CREATE INDEX audit_by ON venue.audit (by, entry);
CREATE INDEX day_game_cabinet ON venue.day_game (cabinet, day);
CREATE INDEX day_meter_cabinet ON venue.day_meter (cabinet, day);
CREATE INDEX collection_day ON venue.collection (day);
CREATE INDEX collection_cabinet ON venue.collection (cabinet, collection);
