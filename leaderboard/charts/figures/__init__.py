"""One pure function per chart: rows in, a Vega-Lite dict out."""
