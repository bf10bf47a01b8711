"""The catalogue in the admin: appended, corrected and retired, never overwritten or deleted in silence."""

from django.contrib import admin

from leaderboard.catalogue.admin import books, hosting, language_model, offering, price, provider

__all__ = ["books", "hosting", "language_model", "offering", "price", "provider"]

admin.site.site_header = admin.site.site_title = "Provider leaderboard"
admin.site.index_title = "Run the board"
