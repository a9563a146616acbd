-- Notes that a recycler stores are not in the cash box that is collected; those that it moved there are.
SET LOCAL ROLE venue_owner;

CREATE FUNCTION venue.without_stored_notes() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, venue, pg_temp AS $$
DECLARE
    stored bigint;
BEGIN
    SELECT coalesce((k.meters ->> 'notes_stored')::bigint, 0) - coalesce((k.meters ->> 'notes_unstored')::bigint, 0)
    INTO stored FROM venue.collected k WHERE k.cabinet = NEW.cabinet;
    NEW.notes_cents := NEW.notes_cents - coalesce(stored, 0);
    NEW.coins_cents := NEW.coins_cents + coalesce(stored, 0);
    RETURN NEW;
END $$;
COMMENT ON FUNCTION venue.without_stored_notes IS 'the drop is without them already: here it is divided into coins and notes';
CREATE TRIGGER without_stored_notes BEFORE INSERT ON venue.collection
    FOR EACH ROW EXECUTE FUNCTION venue.without_stored_notes();
