"""Login with user name, password and second factor, and set-up of a second factor."""

from base64 import b32encode
from io import BytesIO

import segno
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import mark_safe
from django.utils.translation import gettext
from django_otp import login as complete
from django_otp import match_token
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from venue.page.access import account, has_second_factor
from venue.page.audit import act, record
from venue.page.forms import TokenForm
from venue.page.models import Account

SPARE_CODES = 8


class Login(LoginView):
    """Login with user name and password; django-axes counts wrong passwords."""

    template_name = "page/login.html"
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Start a session and record the login."""
        response = super().form_valid(form)
        record(self.request.user.get_username(), "logged in")
        return response


class Leave(LogoutView):
    """Logout, which is recorded."""

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Record the logout and end the session."""
        act(request, "logged out")
        return super().post(request, *args, **kwargs)


def _next(request: HttpRequest) -> str:
    wanted = request.POST.get("next") or request.GET.get("next") or "/"
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else "/"


def token(request: HttpRequest) -> HttpResponse:
    """Ask for the second factor; django-otp throttles guesses."""
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        device = match_token(account(request), form.cleaned_data["token"])
        if device is not None:
            complete(request, device)
            return redirect(_next(request))
        record(account(request).username, "second factor wrong")
        form.add_error("token", gettext("That code does not fit, or came too soon after a wrong one."))
    return render(request, "page/token.html", {"form": form, "next": _next(request)})


def second_factor(request: HttpRequest) -> HttpResponse:
    """Set up an authenticator: show its key as a QR code, check a first code, then show the backup codes once."""
    user = account(request)
    if has_second_factor(user):
        return redirect("account")
    device, _ = TOTPDevice.objects.get_or_create(user=user, confirmed=False, defaults={"name": "authenticator"})
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if device.verify_token(form.cleaned_data["token"]):
            device.confirmed = True
            device.save()
            complete(request, device)
            act(request, "second factor set up")
            return render(request, "page/spare_codes.html", {"codes": _spare_codes(user)})
        form.add_error("token", gettext("That code does not fit. Is the phone's clock right?"))
    picture = BytesIO()
    segno.make(device.config_url, micro=False).save(picture, kind="svg", xmldecl=False, svgns=True, omitsize=True)
    drawn = mark_safe(picture.getvalue().decode())  # noqa: S308 - drawn here from the key, the user name and the venue's name
    return render(request, "page/second_factor.html", {"form": form, "qr": drawn, "key": _grouped(device)})


def _grouped(device: TOTPDevice) -> str:
    key = b32encode(device.bin_key).decode()
    return " ".join(key[at : at + 4] for at in range(0, len(key), 4))


def _spare_codes(user: Account) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="spare codes")
    codes = [StaticToken.random_token() for _ in range(SPARE_CODES)]
    device.token_set.bulk_create([StaticToken(device=device, token=code) for code in codes])
    return codes
