"""Published files back into a board: the catalogue's CSVs, then samples, each on its natural key."""
