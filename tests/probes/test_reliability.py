from __future__ import annotations

from probes.reliability import OUR_FAULT, success_rate, uptime


def test_uptime_knows_only_ok_and_down() -> None:
    assert uptime({"ok": 6, "server_error": 1, "timeout": 1, "stream_broken": 1, "empty": 1}) == 0.6
    assert uptime({"ok": 1, "rate_limited": 9, "network": 9, "auth": 9}) == 1.0
    assert uptime({"rate_limited": 3}) is None


def test_success_rate_leaves_out_what_was_our_fault() -> None:
    assert success_rate({"ok": 1, "rate_limited": 1, "network": 1, "blocked": 1}) == 0.25
    assert success_rate({"ok": 1, **dict.fromkeys(OUR_FAULT, 5)}) == 1.0
    assert success_rate({"auth": 5}) is None


def test_a_wrong_catalogue_is_our_fault_and_a_broken_network_is_not() -> None:
    assert sorted(OUR_FAULT) == ["auth", "bad_request", "billing", "capability", "not_found", "ours"]
