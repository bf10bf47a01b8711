"""The dataset described for machines, all made from the columns: Data Package, Croissant, schema.org, CSVW."""
