"""The add-a-provider form. The key is taken in once and never rendered again: the form keeps it sealed."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django import forms

from leaderboard.catalogue.addresses import BadBaseUrl, looks_private, tidy_base_url
from leaderboard.catalogue.credentials import (
    CredentialsProblem,
    forget_key,
    is_own_variable,
    is_same_host,
    key_for,
    seal,
    store_key,
    unseal,
)
from leaderboard.catalogue.history import record_revision
from leaderboard.catalogue.models import Provider
from leaderboard.catalogue.names import LONGEST_PROVIDER_NAME, BadName, fold_name, slug_of, tidy_name
from leaderboard.operations.onboarding.presets import PRESETS, Preset
from probes.endpoint import Endpoint

BY_ADDRESS = ""


class ProviderDraftForm(forms.Form):
    """One page: what a provider needs before its address can be tried."""

    preset = forms.ChoiceField(
        label="Preset", choices=[(p.slug, p.label) for p in PRESETS.values()], initial="openai"
    )
    name = forms.CharField(label="Name", max_length=LONGEST_PROVIDER_NAME)
    base_url = forms.CharField(
        label="Base URL",
        max_length=500,
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://api.example.com/v1"}),
    )
    api_key = forms.CharField(
        label="API key",
        required=False,
        max_length=4000,
        help_text="Stored encrypted and never shown again.",
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "new-password"}),
    )
    api_key_env = forms.RegexField(
        r"^[A-Za-z_][A-Za-z0-9_]*$",
        label="Key variable",
        required=False,
        max_length=100,
        help_text="Or the environment variable that holds the key.",
    )
    kind = forms.ChoiceField(
        label="Kind",
        required=False,
        choices=[(BY_ADDRESS, "Told by the address"), *Provider.Kind.choices],
        help_text="Only Self-hosted may lie inside the network.",
    )
    pricing_url = forms.URLField(label="Pricing page", required=False, max_length=500, assume_scheme="https")
    test_model = forms.CharField(
        label="Model to test",
        required=False,
        max_length=200,
        help_text="Empty: the first of the provider's list.",
    )
    kept_key = forms.CharField(required=False, widget=forms.HiddenInput())

    def __init__(self, *args: Any, holder: str, may_direct_keys: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.holder = holder
        self.may_direct_keys = may_direct_keys
        self.known: Provider | None = None
        """A listed provider of that name, which nobody has taken up yet."""

    @property
    def preset_chosen(self) -> Preset:
        return PRESETS[self.cleaned_data["preset"]]

    def clean_name(self) -> str:
        try:
            name = tidy_name(self.cleaned_data["name"], longest=LONGEST_PROVIDER_NAME)
        except BadName as problem:
            raise forms.ValidationError(str(problem)) from None
        self.known = next((p for p in Provider.objects.all() if fold_name(p.name) == fold_name(name)), None)
        if self.known and self.known.offerings.filter(first_probed_on__isnull=False).exists():
            raise forms.ValidationError(
                f"{self.known.name} is on the board already. Open it, or choose another name."
            )
        return name

    def clean_api_key_env(self) -> str:
        name = str(self.cleaned_data["api_key_env"])
        if name and is_own_variable(name):
            raise forms.ValidationError(f"{name} belongs to the board itself and is never sent to anybody.")
        if name and not self.may_direct_keys:
            raise forms.ValidationError("Only an operator may name a variable. Ask one, or paste the key.")
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        typed = cleaned.get("base_url", "")
        preset = PRESETS.get(cleaned.get("preset", ""))
        if not cleaned.get("kind"):
            inside = Provider.Kind.SELF_HOSTED if looks_private(typed) else ""
            cleaned["kind"] = inside or (preset.kind if preset else "") or Provider.Kind.HOST
        if typed:
            try:
                cleaned["base_url"] = tidy_base_url(typed, may_be_private=self.may_be_private(cleaned))
            except BadBaseUrl as problem:
                self.add_error("base_url", str(problem))
        return cleaned

    def may_be_private(self, cleaned: dict[str, Any]) -> bool:
        return bool(cleaned.get("kind") == Provider.Kind.SELF_HOSTED)

    def key(self) -> str:
        """The key typed now, or kept from before."""
        return self.cleaned_data.get("api_key") or unseal(
            self.cleaned_data.get("kept_key", ""), holder=self.holder
        )

    def endpoint(self) -> Endpoint:
        """What a test calls. Only for a valid form."""
        cleaned = self.cleaned_data
        named = Provider(api_key_env=cleaned["api_key_env"])
        return Endpoint(
            protocol=self.preset_chosen.protocol,
            base_url=cleaned["base_url"],
            model=cleaned["test_model"],
            api_key=key_for(named) or self.key() or None,
            public_only=not self.may_be_private(cleaned),
        )

    def again(self) -> ProviderDraftForm:
        """The same form to show once more, with the key sealed instead of in it."""
        fields = {
            name: self.data.get(name, "") for name in self.fields if name not in ("api_key", "kept_key")
        }
        key = self.data.get("api_key") or unseal(self.data.get("kept_key", ""), holder=self.holder)
        try:
            fields["kept_key"] = seal(key, holder=self.holder) if key else ""
        except CredentialsProblem:
            fields["kept_key"] = ""
        form = ProviderDraftForm(initial=fields, holder=self.holder, may_direct_keys=self.may_direct_keys)
        if fields["kept_key"]:
            form.fields["api_key"].help_text = "Kept for this form. Type another one to replace it."
        return form

    def save(self, user: Any) -> Provider:
        """The provider, new or taken up, with its key encrypted. Raises CredentialsProblem."""
        cleaned = self.cleaned_data
        provider = self.known or Provider(name=cleaned["name"], slug=free_slug(cleaned["name"]))
        is_new = self.known is None
        if not is_same_host(provider.base_url, cleaned["base_url"]):
            forget_key(provider)  # entered for another host
            if not self.may_direct_keys:
                provider.api_key_env = ""
        provider.kind = cleaned["kind"]
        provider.protocol = self.preset_chosen.protocol
        provider.base_url = cleaned["base_url"]
        provider.api_key_env = cleaned["api_key_env"] or ("" if is_new else provider.api_key_env)
        provider.pricing_url = cleaned["pricing_url"] or provider.pricing_url
        if provider.kind == Provider.Kind.SELF_HOSTED:
            provider.account_kind = "operator_owned"
        key = self.key()
        if key:
            store_key(provider, key, now=dt.datetime.now(dt.UTC))
        provider.save()
        record_revision(provider, user, kind="added" if is_new else "edited", is_public=is_new)
        if key:
            record_revision(provider, user, kind="edited", field="api_key", new=True)
        return provider


def free_slug(name: str) -> str:
    """The name's slug, with a number where it is or was another provider's."""
    slug = slug_of(name, longest=60)
    taken = set(Provider.objects.filter(slug__startswith=slug).values_list("slug", flat=True))
    number = 2
    while slug in taken:
        slug = f"{slug_of(name, longest=58)}-{number}"
        number += 1
    return slug
