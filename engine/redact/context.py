"""What a command's output may hold for what the command is: a dump of an environment, a secret file."""

import re

_BEFORE = r"(?:^|[\s;&|(`'\"{])(?:/(?:usr/)?bin/)?"
_AFTER = r"[ \t]*(?:$|[\n;&|)>`'\"}])"
_DUMP = re.compile(
    rf"{_BEFORE}(?:env(?:[ \t]+-(?:0|-null))?|set|printenv\b[^\n;&|]*"
    rf"|(?:export|declare|typeset)(?:[ \t]+-[a-zA-Z]+)*){_AFTER}"
    rf"|{_BEFORE}(?:declare|typeset)[ \t]+-[a-zA-Z]*[px][a-zA-Z]*[ \t]"
    r"|\bos\.environ\b(?!\[|\.get)|\bprocess\.env\b(?!\.|\[)|\bgci env:|\bget-childitem env:"
    r"|\bENV\.(?:to_h|inspect|each)\b"
    r"|\bdocker(?:[ \t]+container)?[ \t]+inspect\b|\bkubectl\b[^\n;|&]*\bsecrets?\b|\bdocker[ \t-]compose[ \t]+config\b"
    r"|\baws[ \t]+(?:secretsmanager|ssm)\b|\bvault[ \t]+(?:kv|read)\b|\bheroku[ \t]+config\b|\bfly[ \t]+secrets\b"
    r"|\bgit[ \t]+config[ \t][^\n;|&]*(?:-l|--list)\b|\bgh[ \t]+auth[ \t]+token\b|\bsystemctl[ \t]+show-environment\b",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"(?:^|[\s/'\"=<@:])(?:\.env(?:\.[\w.-]+|rc)?|[\w.-]+\.env|\.?netrc|_netrc|\.pgpass|\.my\.cnf|\.npmrc|\.pypirc|\.yarnrc(?:\.yml)?"
    r"|\.git-credentials|\.htpasswd|\.vault-token|\.dockercfg|\.s3cfg|\.boto|auth\.json|[\w.-]*credentials?(?:\.[\w.-]+)?"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|[\w.-]*secrets?\.(?:ya?ml|json|toml|env|txt|ini|conf|properties)"
    r"|[\w.-]+\.(?:pem|key|ppk|p8|tfvars|kdbx)|shadow|environ|service[-_]account[\w.-]*\.json|kubeconfig|master\.key"
    r")(?=$|[\s;&|)>`'\":*])"
    r"|\.aws/|\.kube/config|\.docker/config\.json|\.ssh/(?!known_hosts|config\b|authorized_keys)|\.config/gh/hosts\.yml"
    r"|\.gnupg/|/run/secrets/|/var/run/secrets/",
    re.IGNORECASE,
)


def reveals(command: str) -> bool:
    """Does this command dump an environment, or read a file whose purpose it is to hold secrets?"""
    return _DUMP.search(command) is not None or _FILE.search(command) is not None
