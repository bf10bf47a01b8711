"""Bytes to messages, incrementally: server-sent events, JSON lines, JSON arrays and AWS event streams."""
