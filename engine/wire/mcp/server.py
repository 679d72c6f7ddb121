"""Speaks the protocol for one agent: its tools, resources and notices (spec 4.5).

Notices (completions, hits, heartbeats) reach the agent where its client takes them: as log messages once it has set a
level, or as updates of the resource ``notices://new`` once it has subscribed to that, which it then reads. Until one
of these the agent is told ``notify_unsupported`` instead of being promised what would never come.
"""

import asyncio
import warnings
from collections import Counter
from importlib.metadata import version
from typing import Any

import msgspec
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ResourceUpdated

from engine.api.host import Engine
from engine.api.protocol import EngineApi
from engine.events import Notice
from engine.notices.inbox import Inbox
from engine.ownership.conversations import Conversation
from engine.results import Refused
from engine.spec import Caller
from engine.wire.mcp.tool import run
from engine.wire.mcp.tools import TOOLS

INSTRUCTIONS = (
    "Run every command with `terminal`, so that the operator sees it live in the jobdeck console. Long ones get "
    "background=true; then wait for them with process_manage instead of sleeping. Your jobs end when you do, unless "
    "they persist or were handed off. The resource conversation://self holds a token: who starts 'jobdeck mcp' with "
    "JOBDECK_TOKEN set to it goes on as you, with your results and notices; with JOBDECK_PARENT works for you."
)
_CONVERSATION = "conversation://self"
_NOTICES = "notices://new"
_LISTENING_SINCE = "2026-07-28"
"""The protocol in which clients listen instead of subscribing."""
_JOB = "job://"
_OUTPUT = "/output"


class AgentServer:
    """One agent's tool server over an engine of this process."""

    def __init__(self, engine: Engine, conversation: Conversation) -> None:
        self._engine = engine
        self._conversation = conversation
        self._takes_logs = False
        self._subscribed: Counter[str] = Counter()
        """What clients listen for, by how many streams of theirs."""
        self._bus = InMemorySubscriptionBus()
        self._listening = ListenHandler(self._bus)
        self._session: ServerSession | None = None
        self._news = asyncio.Event()
        self._inbox: Inbox | None = None

    @property
    def _api(self) -> EngineApi:
        """The verbs for this agent, as it can be told of things now."""
        told = self._takes_logs or self._subscribed[_NOTICES] > 0
        return self._engine.api(Caller(owner=self._conversation.id, async_delivery=told))

    async def serve(self) -> None:
        """Until the client closes our input."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what newer clients no longer do; older ones do
            server: Server[Any] = Server(
                "jobdeck",
                version=version("jobdeck"),
                instructions=INSTRUCTIONS,
                on_list_tools=self._list_tools,
                on_call_tool=self._call_tool,
                on_list_resources=self._list_resources,
                on_list_resource_templates=self._list_templates,
                on_read_resource=self._read_resource,
                on_subscriptions_listen=self._listen,
                on_subscribe_resource=self._subscribe,
                on_unsubscribe_resource=self._unsubscribe,
                on_set_logging_level=self._set_level,
            )
        async with stdio_server() as (incoming, outgoing):
            pump = asyncio.create_task(self._pump())
            try:
                await server.run(incoming, outgoing, server.create_initialization_options())
            finally:
                pump.cancel()
                if self._inbox is not None:
                    self._inbox.close()

    # Tools

    async def _list_tools(self, context: Any, _params: Any) -> types.ListToolsResult:
        self._session = context.session
        return types.ListToolsResult(
            tools=[
                types.Tool(name=tool.name, description=tool.description, input_schema=tool.schema())
                for tool in TOOLS.values()
            ]
        )

    async def _call_tool(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        self._session = context.session
        tool = TOOLS.get(params.name)
        if tool is None:
            known = ", ".join(TOOLS)
            return _result({"status": "error", "error": f"there is no tool {params.name!r}; one of: {known}"})
        return _result(await run(self._api, tool, params.arguments or {}))

    # Resources

    async def _list_resources(self, context: Any, _params: Any) -> types.ListResourcesResult:
        self._session = context.session
        rows = (await self._api.list()).processes
        jobs = [
            types.Resource(
                uri=f"{_JOB}{row.session_id}{_OUTPUT}",
                name=row.name,
                description=f"Output of {row.command}",
                mime_type="text/plain",
            )
            for row in rows
        ]
        about = "Completions, hits and heartbeats that you haven't read; subscribe to be told of new ones"
        news = types.Resource(uri=_NOTICES, name="notices", description=about, mime_type="application/json")
        about = "Your conversation and its token: who proves it goes on as you"
        ours = types.Resource(uri=_CONVERSATION, name="conversation", description=about, mime_type="application/json")
        return types.ListResourcesResult(resources=[news, ours, *jobs])

    async def _list_templates(self, _context: Any, _params: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=f"{_JOB}{{session_id}}{_OUTPUT}", name="output", description="A job's output, cleaned"
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def _read_resource(self, context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        self._session = context.session
        uri = str(params.uri)
        if uri == _NOTICES:
            return _contents(uri, _json(self._take()), "application/json")
        if uri == _CONVERSATION:
            return _contents(uri, _json(self._conversation), "application/json")
        if not (uri.startswith(_JOB) and uri.endswith(_OUTPUT)):
            raise ValueError(f"there is no resource {uri!r}: job://SESSION_ID/output, or {_NOTICES}")
        log = await self._api.log(uri.removeprefix(_JOB).removesuffix(_OUTPUT), limit=1_000_000)
        if isinstance(log, Refused):
            raise ValueError(log.error)
        return _contents(uri, log.output, "text/plain")

    async def _subscribe(self, context: Any, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self._session = context.session
        self._subscribed[str(params.uri)] += 1
        self._receive()
        return types.EmptyResult()

    async def _unsubscribe(self, _context: Any, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._subscribed[str(params.uri)] = 0
        return types.EmptyResult()

    async def _listen(self, context: Any, params: types.SubscriptionsListenRequestParams) -> Any:
        """As newer clients subscribe: one call is one stream, as long as it lasts."""
        self._session = context.session
        wanted = Counter(params.notifications.resource_subscriptions or ())
        self._subscribed += wanted
        self._receive()
        try:
            return await self._listening(context, params)
        finally:
            self._subscribed -= wanted

    # Notices

    async def _set_level(self, context: Any, _params: Any) -> types.EmptyResult:
        self._session = context.session
        self._takes_logs = True
        self._receive()
        return types.EmptyResult()

    def _receive(self) -> None:
        if self._inbox is None:
            loop = asyncio.get_running_loop()

            def came() -> None:
                loop.call_soon_threadsafe(self._news.set)

            feed = self._api.notices(came)
            assert isinstance(feed, Inbox)
            self._inbox = feed
        self._news.set()

    def _take(self) -> list[Notice]:
        return self._inbox.take() if self._inbox is not None else []

    async def _pump(self) -> None:
        """Tell what comes. A notice counts as told once it has gone out."""
        while True:
            await self._news.wait()
            self._news.clear()
            inbox, session = self._inbox, self._session
            if inbox is None or session is None:
                continue
            if self._takes_logs:
                for notice in inbox.waiting(1_000):
                    await session.send_log_message("notice", msgspec.to_builtins(notice), logger="jobdeck")
                    inbox.took(notice.sequence)
            elif self._subscribed[_NOTICES] and inbox.waiting(1):
                await self._bus.publish(ResourceUpdated(_NOTICES))
                if session.protocol_version < _LISTENING_SINCE:
                    await session.send_resource_updated(_NOTICES)


def _result(answer: dict[str, Any]) -> types.CallToolResult:
    failed = answer.get("status") in ("error", "not_found")
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=_json(answer))], structured_content=answer, is_error=failed
    )


def _contents(uri: str, text: str, kind: str) -> types.ReadResourceResult:
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, text=text, mime_type=kind)])


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
