"""Prometheus metrics: health of the cabinets and of their connection, without amounts of money."""

import hmac

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest

from venue.page.queries import alarms, floor
from venue.page.tiles import LOST_S

_HEALTH = ("temperature_c", "disk_free_mb", "card_wear_percent", "commit_ms")


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Return the metrics to a client with the configured token; without a token, only to this machine."""
    token = settings.CONFIG.metrics_token
    sent = request.headers.get("Authorization", "")
    here = request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1") and not settings.CONFIG.proxied
    if not (hmac.compare_digest(sent, f"Bearer {token}") if token else here):
        return HttpResponseForbidden("metrics need the token of the configuration\n", content_type="text/plain")
    return HttpResponse(generate_latest(registry()), content_type=CONTENT_TYPE_LATEST)


def registry() -> CollectorRegistry:
    """Collect the current metrics."""
    found = CollectorRegistry()
    up = Gauge("cabinet_up", "Whether the cabinet beats", ["cabinet"], registry=found)
    age = Gauge("cabinet_last_seen_seconds", "Seconds since the last beat", ["cabinet"], registry=found)
    doors = Gauge("cabinet_doors_open", "Doors that are open", ["cabinet"], registry=found)
    faults = Gauge("cabinet_faults", "Faults that are present", ["cabinet"], registry=found)
    whole = Gauge("cabinet_books_whole", "Whether the books were proved whole", ["cabinet"], registry=found)
    off = Gauge("cabinet_clock_off_seconds", "The cabinet's clock less the venue's", ["cabinet"], registry=found)
    health = {name: Gauge(f"cabinet_{name}", name.replace("_", " "), ["cabinet"], registry=found) for name in _HEALTH}
    for row in floor.statuses():
        label, status = str(row["cabinet"]), row["status"]
        up.labels(label).set(row["age_s"] is not None and row["age_s"] <= LOST_S)
        if row["age_s"] is not None:
            age.labels(label).set(float(row["age_s"]))
        doors.labels(label).set(len(status.doors))
        faults.labels(label).set(len(status.faults))
        if row["clock_off_ms"] is not None:
            off.labels(label).set(row["clock_off_ms"] / 1000)
        if status.books.whole is not None:
            whole.labels(label).set(status.books.whole)
        for name, figure in status.health.known.items():
            health[name].labels(label).set(figure)
    Gauge("venue_alarms_waiting", "Alarms that nobody has acknowledged", registry=found).set(alarms.waiting())
    return found
