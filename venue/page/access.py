"""Access control of the page's URLs: session, second factor and required role."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.http import urlencode
from django_otp.plugins.otp_totp.models import TOTPDevice

from venue.page.models import Account
from venue.page.roles import SECOND_FACTOR_FROM, Role

View = Callable[..., HttpResponse]

NEEDS: dict[str, Role] = {}
"""The role that each URL requires, by URL name."""


def account(request: HttpRequest) -> Account:
    """Return the account of a request that `page` has authorised; raises `PermissionDenied` without one."""
    if not isinstance(request.user, Account):
        raise PermissionDenied
    return request.user


def has_second_factor(user: Account) -> bool:
    """Whether the account has confirmed an authenticator."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def second_factor_missing(user: Account) -> str:
    """Return the name of the URL that completes this login; "" if the login is complete."""
    if user.is_verified():
        return ""
    if has_second_factor(user):
        return "token"
    needed = settings.CONFIG.second_factor and user.role >= SECOND_FACTOR_FROM
    return "second_factor" if needed else ""


def may(request: HttpRequest, name: str) -> bool:
    """Whether this session is complete and may open the URL of that name."""
    user = request.user
    if not isinstance(user, Account) or not user.is_active or user.must_change or second_factor_missing(user):
        return False
    return user.role >= NEEDS[name]


def page(route: str, view: View, name: str, needs: Role, *, incomplete: bool = False) -> URLPattern:
    """Return a URL pattern for `view` that is open to accounts with the role `needs` or a higher one.

    An `incomplete` URL is open before the second factor is given. An account whose password somebody else has set is
    redirected to its own settings until it changes the password. An htmx request gets a refresh header instead of a
    redirect, so that the whole page goes to the login when the session has ended.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        user = request.user
        if not isinstance(user, Account) or not user.is_active:
            return _leave(request, "login")
        if not incomplete and (missing := second_factor_missing(user)):
            return _leave(request, missing)
        if user.must_change and not incomplete and name != "account":
            return _leave(request, "account")
        if user.role < needs:
            raise PermissionDenied
        if any("\0" in text for given in (request.GET, request.POST) for texts in given.lists() for text in texts[1]):
            raise BadRequest("a NUL is no letter")
        return view(request, *args, **kwargs)

    NEEDS[name] = needs
    return path(route, guarded, name=name)


def _leave(request: HttpRequest, name: str) -> HttpResponse:
    if request.headers.get("HX-Request"):
        response = HttpResponse(status=204)
        response["HX-Refresh"] = "true"
        return response
    target: HttpResponseRedirect = redirect(name)
    back = request.get_full_path() if request.method == "GET" else "/"
    target["Location"] += "?" + urlencode({"next": back})
    return target
