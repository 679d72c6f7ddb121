"""``[hosts]`` of the configuration, by the command line, by the file's own jobs and by an agent (spec 4.7)."""

import json
from pathlib import Path

import pytest
from command_line import jobdeck, serve, started
from container_clients import container_client
from waiting import wait_until


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container ``box``, and a job of the file that runs there."""
    via = json.dumps([container_client(tmp_path, "docker"), "exec", "-it", "box"])
    (tmp_path / "jobdeck.toml").write_text(
        f'[hosts.box]\nvia = {via}\n[jobs.there]\nhost = "box"\ncommand = "echo from $PWD; read x"\n'
        'cwd = "/usr"\npty = true\nautostart = true\n'
    )
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("hosts")
def test_start_names_a_host_and_list_tells_it() -> None:
    with serve():
        job = started("--host", "box", "--cwd", "/bin", "-c", "pwd; exit 5")
        waited = jobdeck("wait", "--json", job)
        assert (waited.returncode, json.loads(waited.stdout)["exit_code"]) == (1, 5)
        assert jobdeck("log", job).stdout.strip().endswith("bin")
        rows = json.loads(jobdeck("list", "--operator", "--json").stdout)["processes"]
        assert {row["host"] for row in rows} == {"box"}
        assert "pwd; exit 5 @box" in jobdeck("list").stdout
        wait_until(lambda: "from /usr" in jobdeck("log", "--operator", "there").stdout, what="the file's own job")
        wrong = jobdeck("start", "--host", "bix", "--", "true")
        assert wrong.returncode == 1 and "there is no host 'bix': there are box" in wrong.stderr
        kept = jobdeck("start", "--host", "box", "--keep", "--", "true")
        assert kept.returncode == 1 and "persist_on_release can't be had there" in kept.stderr
