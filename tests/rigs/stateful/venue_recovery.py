"""A venue that is restored from older copies, again and again, while its cabinets play, are exchanged, lost and return.

The tally is the test's own: what players were paid, by round, and what they contributed. The person at the venue does
what docs/venue.md asks for; one who forgets the slips is a machine's rule of its own.
"""

import copy
import secrets
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import psycopg
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet
from tests.rigs.venue_snapshot import Snapshot

SEED, COIN = 50_000_000, 25_000
POOLS = (1, 2)
MOST_PLACES, MOST_COPIES = 4, 3
PLACES = st.integers(0, MOST_PLACES - 1)
BETS = st.integers(1, 40).map(lambda tenths: tenths * COIN // 10)
FATES = st.sampled_from(["ok", "ok", "no jackpot", "lost", "cut"])
EVENINGS = st.lists(st.tuples(PLACES, st.sampled_from(POOLS), BETS, FATES), min_size=1, max_size=4)
LOSSES = ("blank", "older", "retired", "none")


class Paid(NamedTuple):
    """A claim's answer, in 1/1000 cent."""

    pool: int
    hit: int
    seed: int
    award: int


@dataclass
class Card:
    """A cabinet's books: what it remembers, as far as the venue's protocol asks."""

    identity: str = field(default_factory=lambda: secrets.token_hex(32))
    number: int = 0
    epoch: int = 0
    since: int = 1
    meters: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    claims: dict[int, tuple[int, int, Paid | None]] = field(default_factory=dict)
    """By round: the epoch, the pool and the answer."""

    def of(self, epoch: int) -> dict[int, tuple[int, int]]:
        """The meters of one epoch: number and sum by pool."""
        return {pool: meter for (of, pool), meter in self.meters.items() if of == epoch}


@dataclass
class Place:
    """A cabinet on the floor; `number` is the venue's, 0 before its enrolment, and `owes` that it has not reported."""

    card: Card
    number: int = 0
    line: VenueCabinet | None = None
    owes: bool = False
    retired: bool = False
    kept: Card | None = None


class VenueRecovery(RuleBasedStateMachine):
    """One venue; whoever plays the person at its page does as the guide says."""

    def __init__(self, database: VenueDatabase, empty: Snapshot) -> None:
        super().__init__()
        self.database = database
        self.admin = database.connect()
        empty.restore(self.admin)
        self.places: list[Place] = []
        self.copies: list[Snapshot] = []
        self.paid: dict[int, Paid] = {}
        self.payer: dict[int, int] = {}
        self.contributed = dict.fromkeys(POOLS, 0)
        self.given = dict.fromkeys(POOLS, 0)
        self.forgotten: set[int] = set()
        self.rounds = 0
        self.terms_changed = False
        for _ in range(3):
            self.enrol_another()
        self.back_up()

    def teardown(self) -> None:
        """All cabinets return and the pools are opened: what each was paid is known."""
        try:
            self.all_return()
        finally:
            for place in self.places:
                self.cut(place)
            self.admin.close()

    # what happens

    @rule()
    @precondition(lambda self: len(self.places) < MOST_PLACES)
    def enrol_another(self) -> None:
        self.places.append(Place(Card()))
        self.enrol(self.places[-1])
        self.come(self.places[-1])

    @rule(rounds=EVENINGS, back=st.sets(PLACES), lost=PLACES, how=st.sampled_from(LOSSES))
    def a_bad_night(self, rounds: list[tuple[int, int, int, str]], back: set[int], lost: int, how: str) -> None:
        """The server is lost after an evening, and a cabinet's books with it."""
        self.an_evening(rounds)
        self.restore(len(self.copies) - 1, back, lost, how)
        self.open_pools(forgets=False, waits=True)

    @rule(rounds=EVENINGS)
    def an_evening(self, rounds: list[tuple[int, int, int, str]]) -> None:
        """Rounds are played and jackpots won, once the pools are open; an answer is lost, or the call."""
        if self.recovers:
            self.open_pools()
        for at, pool, amount, fate in rounds:
            place = self.place(at)
            if not self.may_play(place, pool):
                continue
            self.play(place, pool, amount)
            if fate == "no jackpot":
                self.put(place)
                continue
            self.rounds += 1
            place.card.claims[self.rounds] = (place.card.epoch, pool, None)
            self.ask(place, self.rounds, fate)

    @rule(at=PLACES, how=st.sampled_from(["whole", "whole", "no report", "hello"]))
    def connect(self, at: int, how: str) -> None:
        self.come(self.place(at), how)

    @rule()
    @precondition(lambda self: len(self.copies) < MOST_COPIES)
    def back_up(self) -> None:
        self.copies.append(Snapshot.of(self.admin))

    @rule(which=st.integers(0, MOST_COPIES - 1), back=st.sets(PLACES), lost=PLACES, how=st.sampled_from(LOSSES))
    def restore(self, which: int, back: set[int], lost: int, how: str) -> None:
        """The venue goes on with a copy; one cabinet may have lost its books, and some are back at once."""
        self.copies[which % len(self.copies)].restore(self.admin)
        self.forgotten.update(played for played, slip in self.paid.items() if self.is_contradicted(played, slip))
        for place in self.places:
            self.cut(place)
            place.owes = True
        for (role,) in self.ask_venue("SELECT role FROM venue.cabinet WHERE NOT retired"):
            self.admin.execute(f"ALTER ROLE {role} LOGIN")
        self.admin.execute("SELECT venue.begin_recovery('restored', 'anna')")
        if how == "retired":
            self.retire(lost)
        elif how != "none":
            self.exchange_card(lost, older=how == "older")
        for at in sorted(back):
            self.come(self.place(at))

    @rule(at=PLACES)
    def keep_card(self, at: int) -> None:
        place = self.place(at)
        place.kept = copy.deepcopy(place.card)

    @rule(at=PLACES, older=st.booleans())
    def exchange_card(self, at: int, older: bool) -> None:  # noqa: FBT001 - hypothesis passes names
        """A blank card or a copy is put in; while the venue may lack what the old one has, with a code."""
        place = self.place(at)
        known = not place.owes and place.line is not None
        self.cut(place)
        if older and place.kept is not None:
            place.card = copy.deepcopy(place.kept)
            if known:  # the witness sees older books, and a technician accepts them
                self.admin.execute("UPDATE venue.cabinet SET fresh_next = true WHERE cabinet = %s", (place.number,))
        else:
            place.card = Card()
        place.kept = None
        if not known:
            self.enrol(place, replaces=place.number)
        self.come(place)

    @rule(at=PLACES)
    def retire(self, at: int) -> None:
        place = self.place(at)
        if self.in_service(place):
            self.cut(place)
            self.admin.execute("SELECT venue.retire(%s, 'sold', 'anna')", (place.number,))
            place.retired = True

    @rule(at=PLACES)
    def enrol_again(self, at: int) -> None:
        """A cabinet that the venue does not take (any more) gets a code: its old number, or a new one."""
        place = self.place(at)
        if not self.in_service(place):
            self.enrol(place, replaces=place.number)
            self.come(place)

    @rule(pool=st.sampled_from(POOLS), coins=st.integers(2_000, 2_004))
    def set_terms(self, pool: int, coins: int) -> None:
        rate = self.ask_venue("SELECT rate_per_mille FROM venue.pool WHERE pool = %s", pool)[0][0]
        proposed = "SELECT venue.propose_terms(%s, %s, %s, 'anna')"
        (proposal,) = self.admin.execute(proposed, (pool, coins * COIN, rate)).fetchone()
        self.admin.execute("SELECT venue.decide_terms(%s, true, 'bert')", (proposal,))
        self.terms_changed = self.terms_changed or bool(self.copies)

    @rule(pool=st.sampled_from(POOLS), closed=st.booleans())
    def close_pool(self, pool: int, closed: bool) -> None:  # noqa: FBT001 - hypothesis passes names
        state = self.ask_venue("SELECT state FROM venue.pool WHERE pool = %s", pool)[0][0]
        if state == ("open" if closed else "closed") and not self.recovers:
            self.admin.execute("SELECT venue.close_pool(%s, %s, 'why', 'anna')", (pool, closed))
            self.settle_late_claims()

    @rule(forgets=st.sampled_from([False, False, True]), waits=st.booleans())
    @precondition(lambda self: self.recovers)
    def open_pools(self, forgets: bool = False, waits: bool = True) -> None:  # noqa: FBT001, FBT002 - hypothesis passes names
        """Wait for the others or write them off; open with every slip entered, or none by a person who forgets them."""
        for place in self.places:
            if not self.is_listed(place):
                self.enrol(place, replaces=place.number)
                self.come(place)
        for (number,) in self.ask_venue("SELECT cabinet FROM venue.not_reported"):
            if not (waits and any(place.number == number and self.come(place) for place in self.places)):
                self.admin.execute("SELECT venue.write_off(%s, 'burnt', 'anna')", (number,))
        missing = {number for (number,) in self.ask_venue("SELECT cabinet FROM venue.not_whole")}
        retired = {number for (number,) in self.ask_venue("SELECT cabinet FROM venue.cabinet WHERE retired")}
        for played, slip in sorted(self.paid.items(), key=lambda one: one[1].hit):
            if self.is_booked(played, slip):
                continue
            assert self.payer[played] in missing | retired, (
                f"round {played} was paid, is lost, and no cabinet is doubted"
            )
            if forgets or self.hit_is_taken(slip):
                self.forgotten.add(played)
            else:
                seed = slip.seed if self.terms_changed else None
                self.enter(slip.pool, slip.hit, slip.award, seed, (self.payer[played], played))
        if missing:
            for pool, hit in self.ask_venue(
                "SELECT p.pool, n FROM venue.pool p, generate_series(1, p.hits) n WHERE NOT EXISTS ("
                "SELECT FROM venue.hit h WHERE h.pool = p.pool AND h.hit = n)"
            ):
                self.enter(pool, hit, None, None)
        self.fill_up()
        self.settle_late_claims()
        self.admin.execute("SELECT venue.open_pools(true, 'anna')")

    # what must hold

    @invariant()
    def no_player_is_paid_what_was_paid_before(self) -> None:
        """The awards over their seeds are at most what players contributed, and what persons put in or forgot."""
        for pool in POOLS:
            paid = sum(slip.award - slip.seed for slip in self.paid.values() if slip.pool == pool)
            forgotten = sum(
                self.paid[one].award - self.paid[one].seed for one in self.forgotten if self.paid[one].pool == pool
            )
            assert paid <= self.contributed[pool] + self.given[pool] + forgotten, pool

    @invariant()
    def no_hit_is_paid_twice(self) -> None:
        """Each hit of a pool was paid once, but for those that a person forgot."""
        hits = [(slip.pool, slip.hit) for played, slip in self.paid.items() if played not in self.forgotten]
        assert len(hits) == len(set(hits))
        assert all(slip.award >= slip.seed for slip in self.paid.values())

    @invariant()
    def the_books_balance(self) -> None:
        """As `cabinet venue audit` proves them; while pools recover, hits may be missing and the value be too low."""
        for state, base, hits, awards, value in self.ask_venue(
            "SELECT state, base_ok, hits_ok, awards_ok, value_ok FROM venue.pool_audit"
        ):
            assert base
            assert awards
            assert self.recovers or (hits and (value or state != "open"))

    # how it is done

    def place(self, at: int) -> Place:
        return self.places[at % len(self.places)]

    def ask_venue(self, query: str, *arguments: object) -> list[tuple[Any, ...]]:
        return self.admin.execute(query.encode(), arguments).fetchall()

    @property
    def recovers(self) -> bool:
        return bool(self.ask_venue("SELECT FROM venue.recovery WHERE opened_at IS NULL"))

    def cut(self, place: Place) -> None:
        if place.line is not None:
            place.line.connection.close()
            place.line = None

    def is_listed(self, place: Place) -> bool:
        """Whether the venue has this cabinet with its card, as one in service unless it was taken out of it."""
        known = self.ask_venue("SELECT identity, retired FROM venue.cabinet WHERE cabinet = %s", place.number)
        return bool(known) and (place.retired or (not known[0][1] and known[0][0] in {None, place.card.identity}))

    def in_service(self, place: Place) -> bool:
        return self.is_listed(place) and self.ask_venue(
            "SELECT retired FROM venue.cabinet WHERE cabinet = %s", place.number
        ) == [(False,)]

    def enrol(self, place: Place, replaces: int = 0) -> None:
        known = self.ask_venue("SELECT FROM venue.cabinet WHERE cabinet = %s", replaces)
        with self.database.connect(self.database.add_code(replaces if known else None)) as caller:
            row = caller.execute("SELECT cabinet FROM venue.enrol(%s, '', '')", (place.card.identity,)).fetchone()
        assert row is not None
        place.number, place.retired = row[0], False

    def come(self, place: Place, how: str = "whole") -> bool:
        """Begin a session as the link does; return whether the venue takes it."""
        self.cut(place)
        if not place.number:
            return False
        try:
            place.line = VenueCabinet(self.database.dsn(f"cab_{place.number}"), place.card.identity)
            due = self.hello(place)
            self.serve(place, due=due, how=how)
        except (psycopg.OperationalError, psycopg.errors.InvalidAuthorizationSpecification):
            self.cut(place)
            return False
        return True

    def hello(self, place: Place) -> bool:
        """Say hello; return whether a report is due."""
        line, card = place.line, place.card
        assert line is not None
        seqs = {str(pool): seq for pool, (seq, _) in card.of(card.epoch).items()}
        (greeting,) = line.call("hello", card.epoch, Jsonb(seqs), 0, card.identity, Jsonb({}))
        line.session = greeting.session
        if card.number != greeting.cabinet:
            card.number, card.since = greeting.cabinet, greeting.epoch
        assert greeting.fresh or greeting.epoch == card.epoch
        card.epoch = greeting.epoch
        return bool(greeting.report_due)

    def serve(self, place: Place, *, due: bool, how: str) -> None:
        """Hand over what the cabinet has, give back what it was paid, and report."""
        line, card = place.line, place.card
        assert line is not None
        for epoch in sorted({epoch for epoch, _ in card.meters if epoch >= card.since}):
            self.put(place, epoch)
        for played in [
            played for played, (epoch, _, answer) in card.claims.items() if answer is None and epoch >= card.since
        ]:
            self.ask(place, played, "ok")
        if how == "hello" or not (due or self.recovers):
            return
        claims = [
            {"epoch": epoch, "round": played, "number": 0} | answer._asdict()
            for played, (epoch, _, answer) in card.claims.items()
            if answer is not None and epoch >= card.since
        ]
        line.call("give_back", line.session, Jsonb(claims))
        if not self.recovers:
            self.settle_late_claims()
        if how == "whole":
            line.call("reported", line.session, Jsonb({}))
            place.owes = False

    def may_play(self, place: Place, pool: int) -> bool:
        state = self.ask_venue("SELECT state FROM venue.pool WHERE pool = %s", pool)[0][0]
        return place.line is not None and state == "open"

    def play(self, place: Place, pool: int, amount: int) -> None:
        key = (place.card.epoch, pool)
        seq, total = place.card.meters.get(key, (0, 0))
        place.card.meters[key] = seq + 1, total + amount
        self.contributed[pool] += amount

    def put(self, place: Place, epoch: int | None = None) -> None:
        line, card = place.line, place.card
        assert line is not None
        meters = card.of(card.epoch if epoch is None else epoch)
        seqs, sums = [seq for seq, _ in meters.values()], [total for _, total in meters.values()]
        line.call("put", line.session, list(meters), seqs, sums, epoch)

    def ask(self, place: Place, played: int, fate: str) -> None:
        line, card = place.line, place.card
        assert line is not None
        epoch, pool, _ = card.claims[played]
        if fate == "cut":
            return
        try:
            meter = card.of(epoch).get(pool, (0, 0))
            (row,) = line.call("claim", line.session, pool, epoch, played, 0, *meter)
        except psycopg.errors.ObjectNotInPrerequisiteState:
            return
        if fate == "ok":
            answer = Paid(pool, row.hit, row.seed, row.award)
            card.claims[played] = epoch, pool, answer
            assert self.paid.setdefault(played, answer) == answer, "a claim was answered otherwise after it was paid"
            self.payer.setdefault(played, place.number)

    def is_booked(self, played: int, slip: Paid) -> bool:
        """Whether the venue has what was paid: as a claim, kept apart as a late one, or entered by a person."""
        known = self.ask_venue(
            "SELECT pool, hit, seed, award FROM venue.claim WHERE round = %(round)s"
            " UNION ALL SELECT pool, hit, seed, award FROM venue.late_claim WHERE round = %(round)s"
            " UNION ALL SELECT pool, hit, seed, award FROM venue.hit WHERE origin = 'lost'".replace(
                "%(round)s", str(played)
            )
        )
        return played in self.forgotten or tuple(slip) in known

    def is_contradicted(self, played: int, slip: Paid) -> bool:
        """Whether a copy, of a history that an earlier restore gave up, had answered this hit to another round."""
        answered = "SELECT FROM venue.claim WHERE pool = %s AND hit = %s AND round <> %s"
        return bool(self.ask_venue(answered, slip.pool, slip.hit, played))

    def hit_is_taken(self, slip: Paid) -> bool:
        return bool(self.ask_venue("SELECT FROM venue.hit WHERE pool = %s AND hit = %s", slip.pool, slip.hit))

    def enter(
        self, pool: int, hit: int, award: int | None, seed: int | None, of: tuple[int | None, int | None] = (None, None)
    ) -> None:
        """A slip names the cabinet and the round."""
        entered = (pool, hit, award, seed, *of)
        self.admin.execute("SELECT venue.write_off_hit(%s, %s, %s, %s, 'a slip', 'anna', %s, %s)", entered)

    def fill_up(self) -> None:
        """Two people adjust the pools that are below their seed."""
        for pool, short in self.ask_venue("SELECT pool, base - total FROM venue.pool_audit WHERE NOT value_ok"):
            (made,) = self.ask_venue("SELECT venue.propose_adjustment(%s, %s, 'lost', 'anna')", pool, int(short))[0]
            self.admin.execute("SELECT venue.decide_adjustment(%s, true, 'bert')", (made,))
            self.given[pool] += int(short)

    def settle_late_claims(self) -> None:
        """Two people take claims that came too late out of their pool, as far as it is above its seed."""
        for cabinet, epoch, played, number, pool, taken in self.ask_venue(
            "SELECT cabinet, epoch, round, number, pool, award - seed FROM venue.late_claim WHERE adjustment IS NULL"
        ):
            ((state, above),) = self.ask_venue("SELECT state, total - base FROM venue.pool_audit WHERE pool = %s", pool)
            amount = min(taken, int(above))
            if state == "closed" or amount <= 0:
                continue
            (made,) = self.ask_venue("SELECT venue.propose_adjustment(%s, %s, 'late', 'anna')", pool, -amount)[0]
            self.admin.execute("SELECT venue.decide_adjustment(%s, true, 'bert')", (made,))
            settled = (cabinet, epoch, played, number, made)
            self.admin.execute("SELECT venue.settle_late_claim(%s, %s, %s, %s, %s, 'anna')", settled)

    def all_return(self) -> None:
        """Every cabinet comes back, with a code where it needs one; whatever its books have, the venue has."""
        for place in self.places:
            if not self.in_service(place):
                self.enrol(place, replaces=place.number)
            assert self.come(place)
        if self.recovers:
            self.open_pools()
            assert not self.recovers
        for place in self.places:
            assert self.come(place)
            for played, (epoch, _, answer) in place.card.claims.items():
                if epoch >= place.card.since and answer is not None:
                    assert self.is_booked(played, answer)
        self.no_player_is_paid_what_was_paid_before()
        self.no_hit_is_paid_twice()
        self.the_books_balance()
