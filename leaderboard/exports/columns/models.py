from __future__ import annotations

from operator import attrgetter

from leaderboard.catalogue.models import MODEL_SLUG, LanguageModel, Weights

from .column import POSITIVE, Column, Reference, Table, Value, joined, or_none


def superseding_model_id(model: LanguageModel) -> Value:
    return model.superseded_by.slug if model.superseded_by else None


MODELS = Table(
    name="models",
    title="Models",
    row_is="one per set of weights and serving variant",
    key=("model_id",),
    references=(Reference(column="superseded_by", table="models", table_column="model_id"),),
    columns=(
        Column(
            "model_id",
            "string",
            "creator/model, lower case",
            required=True,
            pattern=MODEL_SLUG,
            get=attrgetter("slug"),
        ),
        Column("name", "string", "display name", required=True),
        Column("creator", "string", "who trained it (not who serves it)", required=True),
        Column(
            "weights",
            "string",
            "drives the colour on every chart",
            required=True,
            one_of=tuple(Weights.values),
        ),
        Column(
            "license",
            "string",
            "licence of the weights",
            unit="SPDX id or text",
            get=or_none("license"),
        ),
        Column(
            "params_total", "number", "all parameters of the model", unit="1e9 parameters", bounds=POSITIVE
        ),
        Column(
            "params_active",
            "number",
            "per token, for mixtures of experts",
            unit="1e9 parameters",
            bounds=POSITIVE,
        ),
        Column(
            "context_tokens",
            "integer",
            "the creator's figure; an offering may give less",
            unit="tokens",
            bounds=POSITIVE,
        ),
        Column("reasoning", "boolean", "emits reasoning tokens before the answer", required=True),
        Column(
            "reasoning_effort",
            "string",
            "fixed per model_id, so that efforts are never mixed",
            one_of=("none", "minimal", "low", "medium", "high"),
            get=or_none("reasoning_effort"),
        ),
        # Everything listed here is probed with text; a catalogue that does not say so leaves the list empty.
        Column(
            "modality_in",
            "string",
            "what it takes, as in text;image",
            unit="; separated",
            required=True,
            get=joined("modality_in", otherwise="text"),
        ),
        Column(
            "modality_out",
            "string",
            "what it gives, as in text",
            unit="; separated",
            required=True,
            get=joined("modality_out", otherwise="text"),
        ),
        Column("released_on", "date", "day its maker released it", unit="UTC day"),
        Column("weights_url", "string", "where the weights are published", get=or_none("weights_url")),
        Column(
            "superseded_by",
            "string",
            "the maker's successor to it, where one is named",
            unit="model_id",
            get=superseding_model_id,
        ),
        Column("retired_on", "date", "empty while active", unit="UTC day"),
        Column("updated_at", "datetime", "last change of this row", unit="UTC", required=True),
        Column("simulated", "boolean", "true = served only by the demo lab", required=True),
    ),
)
