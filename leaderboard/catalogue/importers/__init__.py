"""Price catalogues of others: bytes → quotes → one diff → applied, or only shown."""
