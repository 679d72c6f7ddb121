"""Assignments are masked for what the command is, and in command lines; never in a source listing (spec 3.2)."""

import pytest

from engine.redact import redact, redact_command, reveals


@pytest.mark.parametrize(
    "command",
    [
        *("env", "printenv", "printenv DB_PASSWORD", "set", "export", "export -p", "declare -x", "declare -p TOKEN"),
        *(
            "env | sort",
            "bash -c 'env | sort'",
            "sudo env",
            "docker exec web env",
            "cd web && env",
            "ssh host env",
            "env -0",
        ),
        *(
            "cat .env",
            "cat web/.env.local",
            "source .envrc",
            "cat ~/.aws/credentials",
            "less ~/.ssh/id_rsa",
            "head .netrc",
        ),
        *("cat /proc/self/environ", "cat secrets.yaml", "kubectl get secret db -o yaml", "docker inspect web"),
        *('python -c "import os; print(os.environ)"', "node -p process.env", "cat server.key", "cat ~/.npmrc"),
    ],
)
def test_who_dumps_an_environment_or_reads_a_secret_file(command: str) -> None:
    assert reveals(command)


@pytest.mark.parametrize(
    "command",
    [
        *(
            "cat config.py",
            "env FOO=1 make",
            "set -e; make",
            "export FOO=1; make",
            "grep -rn MAX_TOKENS src",
            "npm run dev",
        ),
        *(
            "python environment.py",
            "printenvy",
            "cat ~/.ssh/known_hosts",
            "ls envs",
            "make env-check",
            "node server.js",
        ),
        *("git diff", "declare_all", "cat README.md", "python -m venv .venv", "conda activate myenv"),
    ],
)
def test_who_does_not(command: str) -> None:
    assert not reveals(command)


LISTING = "MAX_TOKENS=100\nAPI_TOKEN=abc123\n"


def test_a_source_listing_stays_and_a_dump_does_not() -> None:
    assert redact(LISTING) == LISTING
    assert redact(LISTING, assignments=True) == "MAX_TOKENS=100\nAPI_TOKEN=***\n"


@pytest.mark.parametrize(
    ("dump", "shown"),
    [
        ("DB_PASSWORD=two words here\nPATH=/bin\n", "DB_PASSWORD=***\nPATH=/bin\n"),
        ('declare -x API_KEY="it\'s here"\n', 'declare -x API_KEY="***"\n'),
        ("export SECRET_KEY_BASE='0123456789abcdef0123456789'\n", "export SECRET_KEY_BASE='012345...6789'\n"),
        ("A=1\0DB_PASSWORD=hunter2\0PATH=/bin\0", "A=1\0DB_PASSWORD=***\0PATH=/bin\0"),
        ("aws_secret = abc\nregion = eu-west-1\n", "aws_secret = ***\nregion = eu-west-1\n"),
        ('{"password": "hunter2", "port": 5432}', '{"password": "***", "port": 5432}'),
        ("password: hunter2\nuser: me\n", "password: ***\nuser: me\n"),
        ("machine x login me password hunter2\n", "machine x login me password ***\n"),
        ("db:5432:app:me:hunter2\n", "db:5432:app:me:***\n"),
        ("{'GITHUB_TOKEN': 'abc', 'HOME': '/root'}", "{'GITHUB_TOKEN': '***', 'HOME': '/root'}"),
        ("SSH_AUTH_SOCK=/tmp/a\nPWD=/root\nTOKEN_TTL=3600\n", "SSH_AUTH_SOCK=/tmp/a\nPWD=/root\nTOKEN_TTL=3600\n"),
        ("DEBUG=true\nTOKEN=$OTHER\nKEYBOARD=us\n", "DEBUG=true\nTOKEN=$OTHER\nKEYBOARD=us\n"),
    ],
)
def test_what_is_masked_in_a_dump(dump: str, shown: str) -> None:
    assert redact(dump, assignments=True) == shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("MAX_TOKENS=100 ./serve --max-tokens 4096", "MAX_TOKENS=100 ./serve --max-tokens 4096"),
        ("PGPASSWORD=hunter2 psql -h db", "PGPASSWORD=*** psql -h db"),
        ("mysql --password=hunter2 --user=me", "mysql --password=*** --user=me"),
        ("curl -u me:hunter2 https://x", "curl -u me:*** https://x"),
        ("deploy --token abc123 --region eu", "deploy --token *** --region eu"),
        ("TOKEN=$(gh auth token) make", "TOKEN=$(gh auth token) make"),
        ('curl -H "Authorization: Bearer opensesame42" x', 'curl -H "Authorization: Bearer ***" x'),
        ("npm run dev", "npm run dev"),
        ("grep -rn 'token:' src", "grep -rn 'token:' src"),
    ],
)
def test_what_is_masked_in_a_command_line(line: str, shown: str) -> None:
    assert redact_command(line) == shown
    assert redact_command(shown) == shown


def test_bytes_that_are_no_text_hide_no_secret() -> None:
    name = b"\xff\xfe".decode("utf-8", "surrogateescape")
    line = f"curl {name} -H 'Authorization: Bearer abcdefghijklmnop0123456789'"
    masked = redact_command(line)
    assert masked.startswith(f"curl {name} -H") and "abcdefghijklmnop" not in masked
