"""All URLs of the page, with the role that each requires."""

from django.urls import URLPattern, path, register_converter
from django.urls.converters import IntConverter

from venue.page.access import page
from venue.page.roles import Role
from venue.page.views import (
    accounts,
    cabinets,
    errors,
    events,
    floor,
    jackpots,
    login,
    metrics,
    money,
    recovery,
    rounds,
    software,
    tickets,
)


class NumberConverter(IntConverter):
    """A number of up to nine digits, which fits into PostgreSQL's int."""

    regex = "[0-9]{1,9}"


register_converter(NumberConverter, "number")

PUBLIC = [
    path("login/", login.Login.as_view(), name="login"),
    path("wall/", jackpots.wall, name="wall"),
    path("wall/values", jackpots.wall_values, name="wall_values"),
    path("metrics", metrics.show, name="metrics"),
]
"""URLs that need no session: the wall shows only what players may see, `/metrics` checks its own token."""

ACCOUNT = [
    page("logout/", login.Leave.as_view(), "logout", Role.VIEWER, incomplete=True),
    page("login/token/", login.token, "token", Role.VIEWER, incomplete=True),
    page("login/second-factor/", login.second_factor, "second_factor", Role.VIEWER, incomplete=True),
    page("account/", accounts.own, "account", Role.VIEWER),
]
VIEWER = [
    page("", floor.show, "floor", Role.VIEWER),
    page("jackpots/", jackpots.listed, "jackpots", Role.VIEWER),
    page("jackpots/<number:number>/", jackpots.pool, "pool", Role.VIEWER),
    page("events/", events.listed, "events", Role.VIEWER),
    page("events/alarms", events.open_alarms, "open_alarms", Role.VIEWER),
    page("events/past/", events.past_alarms, "past_alarms", Role.VIEWER),
    page("cabinets/", cabinets.listed, "cabinets", Role.VIEWER),
    page("cabinets/<number:number>/", cabinets.one, "cabinet", Role.VIEWER),
]
CASHIER = [
    page("events/<number:number>/acknowledge", events.acknowledge, "acknowledge", Role.CASHIER),
    page("money/", money.listed, "money", Role.CASHIER),
    page("money/export/<slug:table>.<slug:kind>", money.export, "export", Role.CASHIER),
    page("money/collections/", money.collections, "collections", Role.CASHIER),
    page("money/collections/<number:collection_number>/", money.count, "count", Role.CASHIER),
    page("money/months/", money.months, "months", Role.CASHIER),
    page("money/tickets/", tickets.days, "ticket_days", Role.CASHIER),
    page("tickets/", tickets.listed, "tickets", Role.CASHIER),
    page("tickets/look-up", tickets.look_up, "look_up_ticket", Role.CASHIER),
    page("tickets/<number:serial>/", tickets.ticket, "ticket", Role.CASHIER),
    page("tickets/pay", tickets.pay, "pay_ticket", Role.CASHIER),
    page("tickets/propose", tickets.propose, "propose_ticket", Role.CASHIER),
    page("tickets/payments/<number:number>/slip", tickets.slip, "ticket_slip", Role.CASHIER),
    page("rounds/", rounds.listed, "rounds", Role.CASHIER),
    page("rounds/ask", rounds.ask, "ask_round", Role.CASHIER),
    page("rounds/<number:cabinet>/<number:number>/", rounds.one, "round", Role.CASHIER),
    page("rounds/<number:cabinet>/<number:number>/<str:name>", rounds.picture, "picture", Role.CASHIER),
]
OPERATOR = [
    page("jackpots/add", jackpots.add, "add_pool", Role.OPERATOR),
    page("jackpots/recovery/", recovery.show, "recovery", Role.OPERATOR),
    page("jackpots/recovery/cabinets/<number:number>", recovery.write_off, "write_off", Role.OPERATOR),
    page("jackpots/recovery/hits", recovery.write_off_hit, "write_off_hit", Role.OPERATOR),
    page("jackpots/recovery/open", recovery.open_pools, "open_pools", Role.OPERATOR),
    page("jackpots/recovery/late", recovery.settle, "settle", Role.OPERATOR),
    page("jackpots/<number:number>/terms", jackpots.terms, "terms", Role.OPERATOR),
    page("jackpots/<number:number>/terms/decide", jackpots.decide_terms, "decide_terms", Role.OPERATOR),
    page("jackpots/<number:number>/remove", jackpots.remove, "remove_cabinet", Role.OPERATOR),
    page("jackpots/<number:number>/remove/<number:removal>", jackpots.decide_removal, "decide_removal", Role.OPERATOR),
    page("jackpots/<number:number>/closed", jackpots.shut, "shut_pool", Role.OPERATOR),
    page("jackpots/<number:number>/propose", jackpots.propose, "propose", Role.OPERATOR),
    page("jackpots/adjustments/<number:number>", jackpots.decide, "decide", Role.OPERATOR),
    page("tickets/proposals/<number:number>", tickets.decide, "decide_ticket", Role.OPERATOR),
    page("tickets/paid", tickets.enter_paid, "enter_paid_ticket", Role.OPERATOR),
    page("money/months/<slug:month>/close", money.close, "close_month", Role.OPERATOR),
    page("events/rules/", events.rules, "rules", Role.OPERATOR),
    page("events/rules/<slug:code>/", events.rule, "rule", Role.OPERATOR),
    page("software/", software.listed, "software", Role.OPERATOR),
    page("software/upload", software.upload, "upload", Role.OPERATOR),
    page("software/<number:number>/", software.one, "offer", Role.OPERATOR),
    page("software/<number:number>/start", software.start, "start_offer", Role.OPERATOR),
    page("software/<number:number>/stop", software.stop, "stop_offer", Role.OPERATOR),
    page("cabinets/enrol", cabinets.enrol, "enrol", Role.OPERATOR),
    page("cabinets/<number:number>/rename", cabinets.rename, "rename", Role.OPERATOR),
    page("cabinets/<number:number>/retire", cabinets.retire, "retire", Role.OPERATOR),
    page("cabinets/<number:number>/distrust", cabinets.distrust, "distrust", Role.OPERATOR),
    page(
        "cabinets/<number:number>/distrust/<number:proposal>",
        cabinets.decide_distrust,
        "decide_distrust",
        Role.OPERATOR,
    ),
    page("cabinets/<number:number>/open", cabinets.open_login, "open_login", Role.OPERATOR),
]
ADMINISTRATOR = [
    page("events/channels/add", events.channel, "channel_add", Role.ADMINISTRATOR),
    page("events/channels/<number:number>/", events.channel, "channel", Role.ADMINISTRATOR),
    page("events/channels/<number:number>/try", events.try_channel, "channel_try", Role.ADMINISTRATOR),
    page("events/channels/<number:number>/drop", events.drop_channel, "channel_drop", Role.ADMINISTRATOR),
    page("accounts/", accounts.listed, "accounts", Role.ADMINISTRATOR),
    page("accounts/add", accounts.edit, "account_add", Role.ADMINISTRATOR),
    page("accounts/<number:number>/", accounts.edit, "account_edit", Role.ADMINISTRATOR),
    page("accounts/<number:number>/drop-factor", accounts.drop_factor, "drop_factor", Role.ADMINISTRATOR),
    page("accounts/acts/", accounts.record, "acts", Role.ADMINISTRATOR),
]

urlpatterns: list[URLPattern] = [*PUBLIC, *ACCOUNT, *VIEWER, *CASHIER, *OPERATOR, *ADMINISTRATOR]

handler400 = errors.bad_request
handler403 = errors.denied
handler404 = errors.missing
handler500 = errors.failed
