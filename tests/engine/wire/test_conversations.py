"""Jobs, results and notices follow a conversation: by its token, its continuation, to its parent (spec 4.3, 2.2)."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec, NoticeFeed
from engine.events import Completion, Heartbeat
from engine.ownership.conversations import open_conversations
from engine.results import Active, ConversationEnded, HandedOff, Refused, ResultsListed
from engine.wire.client import RemoteEngine
from engine.wire.messages import Hello
from engine.wire.server import Server


@pytest.fixture
def server(engine: Engine) -> Iterator[Server]:
    with Server(engine, "test") as listening:
        yield listening


def client(server: Server, **who: str) -> RemoteEngine:
    return RemoteEngine(server.path, Hello(version=1, **who))  # type: ignore[arg-type]


def ended_job(api: RemoteEngine, line: str = "true") -> str:
    """A job that is over and has its receipt, and of which nobody has been told."""
    job = api.spawn(JobSpec(command=line, notify_on_complete=True)).result().session_id
    wait_until(lambda: [row.session_id for row in shelf(api) if row.session_id == job], what="its receipt")
    return job


def shelf(api: RemoteEngine) -> tuple:  # type: ignore[type-arg]
    listed = api.results().result()
    assert isinstance(listed, ResultsListed)
    return listed.results


def told(feed: NoticeFeed, count: int) -> list[str]:
    """The jobs of the next completions."""
    found = [one for one in (feed.next(PATIENCE) for _ in range(count)) if isinstance(one, Completion)]
    assert len(found) == count
    return [one.session_id for one in found]


def beat(text: str) -> Callable[[int, float], Heartbeat]:
    return lambda sequence, at: Heartbeat(sequence=sequence, at=at, session_id="x", output=text)


def post(engine: Engine, owner: str, *texts: str) -> None:
    def notify() -> None:
        for text in texts:
            engine.registry.notify(owner, beat(text))

    engine.call("post", notify).result(PATIENCE)


def kept(engine: Engine, owner: str) -> int:
    postbox = engine.registry.broadcast.postbox
    return len(engine.call("look", lambda: postbox.kept_for(owner)).result(PATIENCE))


def rows(api: RemoteEngine) -> dict[str, bool]:
    return {row.session_id: row.session_scoped for row in api.list().result().processes}


def test_who_comes_back_by_its_token_is_told_once_what_it_missed(engine: Engine, server: Server) -> None:
    with client(server) as first:
        job = ended_job(first, "echo out")
        token, conversation = first.token, first.conversation
    with client(server) as stranger, client(server, token=token) as back:
        foreign = stranger.notices()
        feed = back.notices()
        assert back.conversation == conversation
        assert told(feed, 1) == [job]
        assert [row.session_id for row in shelf(back)] == [job] and shelf(stranger) == ()
        wait_until(lambda: not kept(engine, conversation), what="its acknowledgement")
        assert foreign.take() == [] == feed.take()
    with client(server, token=token) as again:
        feed = again.notices()
        later = ended_job(again)
        assert told(feed, 1) == [later], "the first is not told a second time"


def test_what_was_sent_and_never_taken_comes_again(engine: Engine, server: Server) -> None:
    with client(server) as first:
        token, conversation = first.token, first.conversation
        came = threading.Event()
        first.notices(came.set)
        jobs = [ended_job(first)]
        assert came.wait(PATIENCE), "it lies at the client's end"
    with client(server, token=token) as back:
        jobs.append(ended_job(back))
        feed = back.notices()
        assert told(feed, 2) == jobs
        wait_until(lambda: not kept(engine, conversation))


def test_what_was_taken_in_the_moment_of_leaving_is_not_told_again(engine: Engine, server: Server) -> None:
    with client(server) as first:
        token, conversation = first.token, first.conversation
        jobs = {ended_job(first) for _ in range(3)}
        feed = first.notices()
        taken = set(told(feed, 1))
        taken |= {one.session_id for one in feed.take() if isinstance(one, Completion)}
    with client(server, token=token) as back:
        feed = back.notices()
        assert set(told(feed, len(jobs - taken))) == jobs - taken
        wait_until(lambda: not kept(engine, conversation))
        assert feed.take() == []


def test_a_continuation_has_all_of_what_it_continues_and_the_flag_says_so(engine: Engine, server: Server) -> None:
    with client(server) as first:
        over, token = ended_job(first), first.token
        runs = first.spawn(JobSpec(command="sleep 7611")).result().session_id
        assert rows(first) == {over: False, runs: False}
    with client(server, continues=token) as heir, client(server, operator=True) as operator:  # type: ignore[arg-type]
        own = heir.spawn(JobSpec(command="sleep 7612")).result().session_id
        assert rows(heir) == {over: True, runs: True, own: False}
        assert not any(rows(operator).values())
        assert told(heir.notices(), 1) == [over]
        assert heir.log(over).result().to_dict()["status"] == "exited"
        engine.dismiss(over).result()
        assert rows(heir)[over], "its receipt is flagged like the job itself"
        with client(server, token=token) as first:
            assert rows(first) == {over: False, runs: False}, "what an heir starts is its own"


def test_notices_of_several_tasks_come_in_order_and_each_once(engine: Engine, server: Server) -> None:
    conversations = open_conversations()
    before = conversations.begin()
    heir = conversations.go_on(before.token)
    post(engine, before.id, "1")
    post(engine, heir.id, "2")
    post(engine, before.id, "3")
    post(engine, heir.id, "4")
    with client(server, token=heir.token) as back:
        feed = back.notices()
        texts = [feed.next(PATIENCE).output for _ in range(4)]
        assert texts == ["1", "2", "3", "4"]
        wait_until(lambda: not kept(engine, before.id) and not kept(engine, heir.id), what="all acknowledgements")
        post(engine, heir.id, "5")
        assert feed.next(PATIENCE).output == "5"


def test_what_comes_between_while_older_is_under_way_is_not_taken_for_told(engine: Engine) -> None:
    inbox = engine.api(Caller("conv_a.b")).notices()
    post(engine, "conv_a", "1", "3")
    shown = engine.call("show", lambda: inbox.waiting(9)).result()  # type: ignore[attr-defined]
    assert [one.output for one in shown] == ["1", "3"]
    letters = engine.call("letters", inbox.held).result()  # type: ignore[attr-defined]

    def between() -> None:
        from engine.notices.letter import Letter

        number = letters[1].notice.sequence
        engine.registry.broadcast.postbox.post(Letter("conv_a", beat("2")(number - 1, 0.0), time.time()))
        inbox.took(number)  # type: ignore[attr-defined]

    # Two numbers are next to each other: make room for one between them.
    letters[1].notice = beat("3")(letters[0].notice.sequence + 2, 0.0)
    engine.call("between", between).result()
    assert [one.output for one in inbox.take()] == ["2"]  # type: ignore[union-attr]


def test_a_job_handed_off_is_the_parents_with_its_end(server: Server) -> None:
    with client(server) as parent, client(server, parent=parent.token) as child:
        jobs = [
            child.spawn(JobSpec(command="read x", stdin="pipe", notify_on_complete=True)).result().session_id
            for _ in range(4)
        ]
        assert rows(parent) == {}
        assert isinstance(child.handoff(jobs[0], " ").result(), Refused)
        assert isinstance(parent.handoff(jobs[0], "mine").result(), Refused)
        for job in jobs[:3]:
            given = child.handoff(job, "watch the server").result()
            assert isinstance(given, HandedOff) and given.owner == parent.conversation
        assert isinstance(child.handoff(jobs[3], "one more").result(), Refused)
        assert list(rows(parent)) == jobs[:3] and list(rows(child)) == jobs[3:]
        feed = parent.notices()
        parent.submit(jobs[0], "go").result()
        assert told(feed, 1) == [jobs[0]]
        bye = child.bye().result()
        assert isinstance(bye, ConversationEnded)
        assert (set(bye.handed_off), bye.killed, bye.orphaned) == (set(jobs[:3]), (jobs[3],), ())
        assert bye.unread == (jobs[3],), "those handed off are the parent's to read"
        states = {row.session_id: row.status for row in parent.list().result().processes}
        assert states == {jobs[0]: "exited", jobs[1]: "running", jobs[2]: "running"}
        assert [row.session_id for row in shelf(parent)] == [jobs[0]]


def test_the_end_of_a_conversation_names_what_it_never_read_and_what_lives_on(engine: Engine, server: Server) -> None:
    with client(server) as only:
        read, unread = ended_job(only), ended_job(only)
        only.wait(read).result()
        ends = only.spawn(JobSpec(command="sleep 7614")).result().session_id
        lives = only.spawn(JobSpec(command="sleep 7615", persist_on_release=True)).result().session_id
        bye = only.bye().result()
        assert isinstance(bye, ConversationEnded)
        assert (bye.unread, bye.killed, bye.orphaned, bye.handed_off) == ((unread,), (ends,), (lives,), ())
        assert engine.poll(ends).result().to_dict()["termination_source"] == "owner_exit"
        assert engine.poll(lives).result().to_dict()["status"] == "running"
        engine.kill(lives).result()


def test_what_forbids_forgetting_a_conversation(engine: Engine, server: Server) -> None:
    def active(api: RemoteEngine, owner: str | None = None, max_age: float | None = None) -> Active:
        answer = api.has_active(owner, max_age).result()
        assert isinstance(answer, Active)
        return answer

    def began(job: str, hours_ago: float) -> None:
        engine.call("age", lambda: setattr(engine.registry.jobs[job], "started_at", time.time() - hours_ago * 3_600))

    with client(server) as first, client(server) as other, client(server, operator=True) as operator:  # type: ignore[arg-type]
        assert not operator.has_any_active().result().active
        job = first.spawn(JobSpec(command="sleep 7613")).result().session_id
        assert active(first) == Active(active=True, session_ids=(job,), older=())
        assert active(other) == Active(active=False, session_ids=(), older=())
        assert isinstance(other.has_active(first.conversation).result(), Refused)
        assert active(operator).active and active(operator, first.conversation).active
        assert not active(operator, other.conversation).active
        with client(server, continues=first.token) as heir:
            assert active(heir).active and active(heir, first.conversation).active
            assert active(operator, heir.conversation).session_ids == (job,)
            assert isinstance(first.has_active(heir.conversation).result(), Refused)
        began(job, 23.9)
        assert active(first).active
        began(job, 24.1)
        assert active(first) == Active(active=False, session_ids=(), older=(job,))
        assert active(first, None, 0).active and active(first, None, 25).active and not active(first, None, 1).active
        assert isinstance(first.has_active(None, -1).result(), Refused)
        assert other.has_any_active().result().active, "however old, and whosever it is"
        first.kill(job).result()
        assert not active(first, None, 0).active and not other.has_any_active().result().active
