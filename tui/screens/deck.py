"""The main screen: how what the engine says is shown."""

import os
from collections.abc import Coroutine, Sequence
from typing import Any

from engine.events import ConfigurationChanged, Event, JobView, PaneClosed
from engine.results import Usage
from tui import news, toasts
from tui.announcer import Announcer
from tui.ascii_only import AsciiOnly, wanted
from tui.bridge.bridge import Bridge, LivingEngine
from tui.bridge.stream import PaneStream
from tui.continuity import Continuity
from tui.gauge import Gauge, OwnUse
from tui.memory import Memory
from tui.news import Toast
from tui.outfit import Outfit, problem_words
from tui.outside.outside import Outside
from tui.screens.deck_actions import DeckActions
from tui.screens.engine_died import EngineDied


class DeckScreen(DeckActions, inherit_bindings=True):
    """Hears the engine over the bridge."""

    def __init__(
        self,
        engine: LivingEngine,
        lines: Sequence[str] = (),
        memory: Memory | None = None,
        outfit: Outfit | None = None,
        ascii_only: AsciiOnly | None = None,
    ) -> None:
        super().__init__()
        self.ascii_only = ascii_only or AsciiOnly(on=False)
        """Whether everything is shown in ASCII."""
        self.outfit = outfit
        if outfit is not None:
            outfit.bind(self._bindings)
        self._engine = engine
        self._lines = tuple(lines)
        self.stack.grace = engine.settings.term_grace_seconds
        self._settings = settings = engine.settings
        self.signals.hits.cooldown = settings.watch_cooldown_seconds
        mode, self._wrong_mode = news.mode_of(settings.notifications, os.environ)
        self.outside = Outside(self)
        self.outside.ways.take(settings)
        self.announcer = Announcer(self, mode, settings.completion_batch_seconds, self.store.name_of, self.outside)
        self._gauge: Gauge | None = None
        self._own_use: OwnUse | None = None
        self.touched = bool(lines)
        self._continuity = Continuity(self, memory, self._run) if memory is not None else None
        self._told_of_away = False

    def on_mount(self) -> None:
        """Open the bridge; start what the command line named as soon as the panes have a size."""
        self.fit()
        self._bridge = Bridge(self._engine, self)
        self.area.connect(self._bridge, self._resize, self.follow_pane)
        self._bridge.open()
        if self._continuity is not None:
            self._continuity.begin()
        bridge = self._bridge
        self.drawer.connect(lambda session_id: bridge.ask(bridge.engine.inspect(session_id)))
        self._gauge = Gauge(self, lambda: bridge.ask(bridge.engine.usage()), self._take_usage)
        self.show_counts()
        if self._wrong_mode:
            self.say(self._wrong_mode, severity="warning")
        if self.outfit is not None and self.outfit.problems:
            self.say(problem_words(self.outfit.problems), severity="warning")
        if self._lines:
            self.call_after_refresh(self.start_lines, self._lines)

    def on_unmount(self) -> None:
        """The engine goes on without us."""
        if self._continuity is not None:
            self._continuity.leave()
        self.outside.close()
        if self._bridge is not None:
            self._bridge.close()

    # What comes over the bridge

    def take_events(self, events: Sequence[Event]) -> None:
        """The engine spoke: the store takes it in, the parts show it."""
        told = self.store.apply(events)
        signals = self.signals.take(events)
        if self.away.apply(events):
            self._tell_of_away()
        if self.batches.apply(events):
            self.stack.put(self.store)  # whose child a job is, and which, may be known only now
            self.batches_line.tell()
        self._open_known()
        for event in events:
            if isinstance(event, PaneClosed) and (closed := self.store.job(event.session_id)) is not None:
                self.close_tab(closed.id)
            elif isinstance(event, ConfigurationChanged):
                self._reconfigure()
        if self._continuity is not None:
            self._continuity.take(events)
        self.typist.follow(self.store)
        self.area.refresh_jobs()
        self.drawer.follow(self.store.get(self.drawer.slot_id))
        asked = self.store.get(self.prompt.slot_id) if self.prompt.display else None
        if asked is not None:
            self.prompt.hide_typing(asked.job.hides_input)
        if told.rows:
            self.stack.put(self.store)
        else:
            self.stack.touch(job.slot for event in events if isinstance(job := getattr(event, "job", None), JobView))
        if told.standing:
            self.show_counts()
        if signals:
            self.stack.refresh()
            self.fit()
        if self.saving.apply(events):
            self.saving_line.tell()
        self.announcer.take([event for event in events if not self.saving.is_known(event)])

    def _reconfigure(self) -> None:
        """The configuration's files were read again: keys, themes and the console's own settings are theirs now."""
        settings, before = self._engine.settings, self._settings
        self._settings = settings
        if self.outfit is not None:
            if problems := self.outfit.put_on(self._engine.configuration):
                self.say(problem_words(problems), severity="warning")
            self.outfit.bind(self._bindings)
        self.stack.grace = settings.term_grace_seconds
        self.signals.hits.cooldown = settings.watch_cooldown_seconds
        mode, wrong = news.mode_of(settings.notifications, os.environ)
        self.announcer.change(mode, settings.completion_batch_seconds)
        self.outside.ways.take(settings)
        if wrong:
            self.say(wrong, severity="warning")
        if settings.ascii != before.ascii:
            self.ascii_only.on = wanted(settings.ascii, os.environ)
            self.repaint()
        if settings.redact_panes != before.redact_panes:
            self.area.redact(settings.redact_panes)
        self.area.refresh_jobs()
        self.refresh(recompose=False)
        self.show_footer()

    def show_footer(self) -> None:
        """Whatever the operator does comes to this: remember how things stand now."""
        super().show_footer()
        if self._continuity is not None:
            self._continuity.soon()

    def _tell_of_away(self) -> None:
        """A line says it until it is read; what ended or was lost is shown at once, to who has done nothing yet."""
        self.away_line.tell()
        news = self.away.count("finished", "lost", "detached")
        if news and not (self.touched or self._told_of_away) and self.app.screen is self:
            self._told_of_away = True
            self._do("view.away")

    def show_counts(self) -> None:
        """Show how many jobs are in which state; what they use is looked at while some run."""
        super().show_counts()
        if self._gauge is not None:
            self._gauge.run(any(slot.live for slot in self.store))

    def _take_usage(self, usage: Usage) -> None:
        self._own_use = self._own_use or OwnUse()
        cpu, rss = self._own_use.read()
        before = self.store.looks()
        self.stack.touch(self.store.take_usage(usage))
        self.header.use(cpu + sum(use.cpu or 0.0 for use in usage.jobs), rss + sum(use.rss for use in usage.jobs))
        if self.store.looks() != before:
            self.area.refresh_jobs()
            self.show_counts()

    # What the announcer tells

    def toast(self, toast: Toast) -> None:
        """News of one event."""
        toasts.say(self.app, toast.text, toast.severity, most_lines=toast.lines, once=True)

    def repaint(self) -> None:
        """Paint everything anew, here and in what lies above."""
        self.app.refresh_css(animate=False)

    def ring(self) -> None:
        """The terminal's bell."""
        self.app.bell()

    def write_to_terminal(self, text: str) -> None:
        """A sequence that is ours to say; never one that a job has printed."""
        if not self.app.is_headless and self.app._driver is not None:
            self.app._driver.write(text)

    def beside(self, doing: Coroutine[Any, Any, None]) -> None:
        """Do it beside all else."""
        self.run_worker(doing, group="outside", exit_on_error=False)

    def overdue(self, what: str) -> None:
        """A call is unanswered for too long."""
        self.say(f"The engine has not answered “{what}” yet. Jobs go on; the answer will be shown.", severity="warning")

    def engine_died(self) -> None:
        """Say it, and offer to leave."""
        self.run_worker(self._offer_to_leave(), exit_on_error=False)

    async def _offer_to_leave(self) -> None:
        self.header.stopped = "engine stopped"
        if await self.show_dialog(EngineDied()):
            self.app.exit(return_code=1)

    def visible_streams(self) -> Sequence[PaneStream]:
        """For the pump: what can be seen."""
        return self.area.streams()

    def _resize(self, job: JobView, cols: int, rows: int) -> None:
        self.run_worker(self._ask_resize(job, cols, rows), exit_on_error=False)

    async def _ask_resize(self, job: JobView, cols: int, rows: int) -> None:
        await self.bridge.ask(self.bridge.engine.resize(job.session_id, cols, rows))
