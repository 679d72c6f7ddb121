"""``jobdeck mcp``: the tool server of a coding agent."""

import os
from threading import Thread

import click

from tui.cli.configured import configuration
from tui.cli.ending import Ending
from tui.cli.exit_codes import GOOD, REFUSED
from tui.cli.mcp_package import how_to_get


@click.command()
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """Serve a coding agent over stdio (Model Context Protocol).

    \b
    In the agent's configuration:
      "mcpServers": {"jobdeck": {"command": "jobdeck", "args": ["mcp"]}}

    The agent's jobs are in your console's stack as soon as it starts them, and end when it does. JOBDECK_TOKEN makes it
    go on as an earlier conversation, with its results and notices; JOBDECK_PARENT names the one that it works for. Both
    are tokens: an agent reads its own as conversation://self.
    """
    try:
        from engine.wire.mcp.server import AgentServer
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        click.echo(f"jobdeck mcp needs one more package: {how_to_get()}", err=True)
        ctx.exit(REFUSED)
    import asyncio  # with the engine: the other verbs need neither

    from engine import Engine
    from engine.ownership.conversations import UnknownToken, open_conversations
    from engine.spec import Caller
    from engine.wire.server import Server
    from tui.collecting import settle

    try:
        conversations = open_conversations()
        token, parent = os.environ.get("JOBDECK_TOKEN", ""), os.environ.get("JOBDECK_PARENT", "")
        conversation = conversations.go_on(token) if token else conversations.begin(parent)
    except (OSError, UnknownToken) as error:
        click.echo(f"jobdeck mcp: {error}", err=True)
        ctx.exit(REFUSED)
    ending = Ending()
    failed: list[Exception] = []

    def serve(engine: Engine) -> None:
        """Until the client closes our input: a thread that waits for that can't be told to end."""
        try:
            asyncio.run(AgentServer(engine, conversation).serve())
        except Exception as error:  # noqa: BLE001  it is told below, wherever it came from
            failed.append(error)
        finally:
            ending.wake()

    with (
        Engine(configuration=configuration(ctx), adopts_goals=False, follows=True) as engine,
        Server(engine, "mcp", label="agent"),
    ):
        settle()
        serving = Thread(target=serve, args=(engine,), name="jobdeck-mcp", daemon=True)
        serving.start()
        ending.wait()
        engine.api(Caller(owner=conversation.id)).end_conversation().result()
    if failed:
        raise failed[0]
    ctx.exit(GOOD)
