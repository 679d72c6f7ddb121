"""On which TCP ports a process listens."""


def listening(pid: int) -> tuple[int, ...]:
    """The ports, in order; none for one that is gone or not ours to look into."""
    import psutil

    try:
        connections = psutil.Process(pid).net_connections(kind="tcp")
    except (psutil.Error, OSError):
        return ()
    return tuple(sorted({one.laddr.port for one in connections if one.status == psutil.CONN_LISTEN}))
