"""Who sells what: providers, language models, offerings of one by the other, and what they cost over time."""

from leaderboard.catalogue.models.bookkeeping import (
    Board,
    CatalogueImport,
    HeldPrice,
    Revision,
    SourceQuote,
)
from leaderboard.catalogue.models.deployment import ENDPOINT_LABEL, Deployment
from leaderboard.catalogue.models.gpu import Gpu
from leaderboard.catalogue.models.hosting_terms import CostBasis, FormerTerms
from leaderboard.catalogue.models.language_model import MODEL_SLUG, LanguageModel, Weights
from leaderboard.catalogue.models.offering import Offering, ProbeState, Quantization
from leaderboard.catalogue.models.price import HOURS_FORM, WEEKDAYS_FORM, Price
from leaderboard.catalogue.models.provider import PROVIDER_SLUG, Provider, utc_today

__all__ = [
    "ENDPOINT_LABEL",
    "HOURS_FORM",
    "MODEL_SLUG",
    "PROVIDER_SLUG",
    "WEEKDAYS_FORM",
    "Board",
    "CatalogueImport",
    "CostBasis",
    "Deployment",
    "FormerTerms",
    "Gpu",
    "HeldPrice",
    "LanguageModel",
    "Offering",
    "Price",
    "ProbeState",
    "Provider",
    "Quantization",
    "Revision",
    "SourceQuote",
    "Weights",
    "utc_today",
]
