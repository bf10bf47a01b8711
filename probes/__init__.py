"""The measuring core: one streamed request in, one honest ProbeResult out. Knows no Django."""
