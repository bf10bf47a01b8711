"""The catalogue in the admin: appended, corrected and retired, never overwritten or deleted in silence."""

from leaderboard.catalogue.admin import books, hosting, language_model, offering, price, provider

__all__ = ["books", "hosting", "language_model", "offering", "price", "provider"]
