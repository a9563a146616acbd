"""Views for accounts: the user's own; for administrators all accounts and the audit log."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST
from django_otp import devices_for_user

from venue.page.access import account, has_second_factor
from venue.page.audit import act
from venue.page.forms import AccountForm, LooksForm
from venue.page.models import Account
from venue.page.paging import paged
from venue.page.queries import acts


def own(request: HttpRequest) -> HttpResponse:
    """Show and change the user's own language, colours and password."""
    user = account(request)
    looks = LooksForm(request.POST if "looks" in request.POST else None, instance=user)
    password = PasswordChangeForm(user, request.POST if "password" in request.POST else None)
    if request.method == "POST" and "looks" in request.POST and looks.is_valid():
        looks.save()
        act(request, "own preferences changed", language=user.language, theme=user.theme)
        return redirect("account")
    if request.method == "POST" and "password" in request.POST and password.is_valid():
        changed = password.save()
        changed.must_change = False
        changed.save(update_fields=["must_change"])
        update_session_auth_hash(request, changed)
        act(request, "own password changed")
        messages.success(request, gettext("The password is changed."))
        return redirect("account")
    has_factor = has_second_factor(user)
    return render(request, "page/account.html", {"looks": looks, "password": password, "has_factor": has_factor})


def listed(request: HttpRequest) -> HttpResponse:
    """List all accounts."""
    return render(request, "page/accounts.html", {"accounts": Account.objects.all()})


def edit(request: HttpRequest, number: int = 0) -> HttpResponse:
    """Add or change an account."""
    user = get_object_or_404(Account, pk=number) if number else None
    form = AccountForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        if user is not None and user.pk == account(request).pk and {"role", "is_active"} & set(form.changed_data):
            form.add_error(None, gettext("Nobody changes the role of the own account: ask another administrator."))
        else:
            stored = form.save()
            changed = [name for name in form.changed_data if name != "password"]
            act(
                request,
                "account changed" if user else "account added",
                account=stored.username,
                role=stored.get_role_display(),
                changed=changed,
                new_password=bool(form.cleaned_data["password"]),
            )
            messages.success(request, gettext("Stored."))
            return redirect("accounts")
    return render(request, "page/account_edit.html", {"form": form, "edited": user})


@require_POST
def drop_factor(request: HttpRequest, number: int) -> HttpResponse:
    """Remove a person's lost second factor and end their sessions; the next login sets up a new one."""
    user = get_object_or_404(Account, pk=number)
    for device in devices_for_user(user, confirmed=None):
        device.delete()
    for session in Session.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            session.delete()
    act(request, "second factor taken away", account=user.username)
    messages.success(request, gettext("The second factor is taken away."))
    return redirect("account_edit", number)


def record(request: HttpRequest) -> HttpResponse:
    """Show the audit log, newest first."""
    wanted = {"by": request.GET.get("by", ""), "act": request.GET.get("act", "")}
    return render(
        request, "page/acts.html", {"wanted": wanted, **paged(request, lambda *cut: acts.newest(wanted, *cut))}
    )
