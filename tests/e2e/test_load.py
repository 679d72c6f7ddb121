"""Many clients at once, in short; `python -m tests.bench.load` is the long run, with figures (spec 4.2, 4.3)."""

from tests.bench.load import run


def test_of_many_clients_calls_none_is_lost_and_none_is_answered_to_another() -> None:
    result = run(clients=8, jobs=20, calls=800)
    asked = result.calls["poll"] + result.calls["log"] + result.calls["list"] + result.calls["submit"]
    assert asked >= 800 and result.ends_told == 20
    assert len(result.latencies["poll, 8 clients"]) > 300
