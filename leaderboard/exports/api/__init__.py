"""The read-only API under /api/v1/: look-ups with filters and opaque cursors. For bulk there are the files."""
