"""Notices by owner: handed out on proof, kept for who isn't there (spec 2.2). Lives on the engine's loop alone."""

from collections.abc import Callable, Sequence

from engine.clock import Clock, Timer
from engine.config import Settings
from engine.events import BatchDone
from engine.notices.claims import Claims
from engine.notices.inbox import Inbox
from engine.notices.letter import Letter, may_receive
from engine.spec import Caller

_LOOK_SECONDS = 3_600.0
"""So late may what has grown too old be given up, where the wall clock was set or the machine has slept."""

Lost = Callable[[list[Letter], str], None]
"""Told of letters that will never be delivered, and why."""
Trouble = Callable[[str, BaseException], None]


class Postbox:
    """Where each notice waits until its owner takes it."""

    def __init__(self, clock: Clock, settings: Settings, *, lost: Lost, trouble: Trouble) -> None:
        self.may_receive: Callable[[str, Caller], bool] = may_receive
        """The proof: is the caller this owner, or its continuation? It may raise, then it is asked again later."""
        self._clock = clock
        self._most = settings.notices_kept
        self._seconds = settings.notices_kept_seconds
        self._retry_seconds = settings.notices_retry_seconds
        self._most_attempts = settings.delivery_attempts
        self._claims = Claims(clock, settings.delivery_claim_seconds, self._claim_expired)
        self._lost = lost
        self._trouble = trouble
        self._kept: dict[str, list[Letter]] = {}
        """Each owner's, oldest first."""
        self._inboxes: list[Inbox] = []
        """One a caller, the newest last."""
        self._expiry: Timer | None = None
        self._retry: Timer | None = None

    def connect(self, inbox: Inbox) -> None:
        """Hand out to this inbox, and no longer to an older one of the same caller."""
        older = [other for other in self._inboxes if other.caller.owner == inbox.caller.owner]
        self._expire()
        self._inboxes.append(inbox)
        for other in older:
            self.disconnect(other)
        for owner in tuple(self._kept):
            self._hand_out(owner)

    def disconnect(self, inbox: Inbox) -> None:
        """Close an inbox; what wasn't taken is put back, at its place by age."""
        if inbox not in self._inboxes:
            return
        self._inboxes.remove(inbox)
        self.put_back(inbox.give_back())

    def post(self, letter: Letter) -> None:
        """Hand a letter out, or keep it until its owner comes."""
        self._kept.setdefault(letter.owner, []).append(letter)
        self._hand_out(letter.owner)

    def put_back(self, letters: Sequence[Letter]) -> None:
        """What was handed out and not taken waits again, or goes to another who may receive it."""
        given_up = []
        for letter in letters:
            letter.returned()
            if isinstance(letter.notice, BatchDone) and letter.attempts >= self._most_attempts:
                given_up.append(letter)
            else:
                self._kept.setdefault(letter.owner, []).append(letter)
        if given_up:
            self._lost(given_up, f"{self._most_attempts} receivers were handed it, and none took it")
        for owner in {letter.owner for letter in letters}:
            # What hands out one owner's may tell of trouble, and so have handed out the operator's already.
            self._kept.get(owner, []).sort(key=lambda letter: letter.notice.sequence)
            self._hand_out(owner)

    def claim(self, caller: Caller) -> list[Letter]:
        """Take out all that is kept for this caller, to be handed to it in another way."""
        self._expire()
        owners = [owner for owner in self._kept if self.proven(owner, caller)]
        return [letter for owner in owners for letter in self._kept.pop(owner)]

    def kept_for(self, owner: str) -> list[Letter]:
        """What waits for exactly this owner, oldest first."""
        held = [letter for inbox in self._inboxes if inbox.caller.owner == owner for letter in inbox.held()]
        return sorted([*self._kept.get(owner, ()), *held], key=lambda letter: letter.notice.sequence)

    def connected(self, owner: str) -> bool:
        """Is an inbox there that receives for this owner?"""
        return any(self.proven(owner, inbox.caller) for inbox in self._inboxes)

    def withdraw(self, letter: Letter, reader: Caller | None = None) -> None:
        """Take back a letter that nobody has taken: from everybody, or where it waits for this reader."""
        for inbox in self._inboxes:
            if reader is None or inbox.caller.owner == reader.owner:
                inbox.withdraw(letter)
        kept = self._kept.get(letter.owner, [])
        if letter in kept and (reader is None or self.concerns(letter.owner, reader)):
            kept.remove(letter)
            if not kept:
                del self._kept[letter.owner]

    def proven(self, owner: str, caller: Caller) -> bool:
        """Is it proven that this caller may have what is addressed to ``owner``? A proof that fails is none."""
        try:
            return self.may_receive(owner, caller)
        except Exception:  # noqa: BLE001  whoever proves nothing receives nothing
            return False

    def concerns(self, owner: str, reader: Caller) -> bool:
        """Is what this reader has learnt learnt by the owner? Nothing is handed out on this, so a name will do."""
        return owner == reader.owner or self.proven(owner, reader)

    def _hand_out(self, owner: str) -> None:
        for inbox in reversed(tuple(self._inboxes)):
            if owner in self._kept and self._proves(owner, inbox):
                self._fill(inbox, owner)
        self._bound(owner)

    def _proves(self, owner: str, inbox: Inbox) -> bool:
        try:
            proven = self.may_receive(owner, inbox.caller)
        except Exception as error:  # noqa: BLE001  the notice stays, and is tried again
            first, inbox.in_doubt = not inbox.in_doubt, True
            if self._retry is None:
                self._retry = self._clock.call_later(self._retry_seconds, self._try_again)
            if first:
                self._trouble("it can't be proven whose notices a client may receive: they wait", error)
            return False
        inbox.in_doubt = False
        return proven

    def _fill(self, inbox: Inbox, owner: str) -> None:
        letters = self._kept.pop(owner)
        try:
            if inbox.put(letters):
                self._claims.given(letters)
                if surplus := inbox.shed(self._most):
                    self._lost(surplus, self._too_many)
                return
        except Exception as error:  # noqa: BLE001  a broken receiver costs its owner nothing
            self.disconnect(inbox)
            self._trouble("a receiver of notices failed and was dropped", error)
            return
        self._kept[owner] = letters

    def _claim_expired(self, letter: Letter) -> None:
        """Who was handed this has not taken it for so long: another gets it, if there is one."""
        holder = next((inbox for inbox in self._inboxes if letter in inbox.held()), None)
        if holder is None:
            return
        others = [one for one in self._inboxes if one is not holder and self._proves(letter.owner, one)]
        if not others:
            self._claims.given([letter])
            return
        holder.withdraw(letter)
        letter.returned()
        if others[-1].put([letter]):
            self._claims.given([letter])
        else:
            self._kept.setdefault(letter.owner, []).append(letter)

    def _try_again(self) -> None:
        self._retry = None
        for owner in tuple(self._kept):
            self._hand_out(owner)

    def _bound(self, owner: str) -> None:
        kept = self._kept.get(owner, [])
        if surplus := kept[: max(0, len(kept) - self._most)]:
            del kept[: len(surplus)]
            self._lost(surplus, self._too_many)
        self._look_later()

    def _look_later(self) -> None:
        if self._kept and self._expiry is None:
            first = min(letter.kept_at for kept in self._kept.values() for letter in kept)
            left = max(0.0, first + self._seconds - self._clock.wall())
            self._expiry = self._clock.call_later(min(left, _LOOK_SECONDS), self._look)

    def _look(self) -> None:
        self._expiry = None
        self._expire()
        self._look_later()

    def _expire(self) -> None:
        """Give up what is too old."""
        oldest = self._clock.wall() - self._seconds
        for owner, kept in tuple(self._kept.items()):
            if old := [letter for letter in kept if letter.kept_at <= oldest]:
                self._kept[owner] = [letter for letter in kept if letter.kept_at > oldest]
                if not self._kept[owner]:
                    del self._kept[owner]
                self._lost(old, f"nobody took them in {self._seconds / 3600:g} hours")

    @property
    def _too_many(self) -> str:
        return f"more than {self._most:,} waited, and the oldest gave way"
