"""What the console shows of secrets: panes are the operator's and raw, unless switched; all else is masked (E06)."""

from typing import TYPE_CHECKING

from palette import choose
from secret_shapes import SHAPES

if TYPE_CHECKING:
    from tests.tui.conftest import Opened

SECRET = next(shape.secret for shape in SHAPES if shape.kind == "OpenAI test")
MASKED = f"{SECRET[:6]}...{SECRET[-4:]}"


async def test_panes_show_secrets_until_the_palette_says_otherwise(console: "Opened") -> None:
    async with console() as shown:
        other = await shown.start(f"echo {SECRET} behind; sleep 1000")
        await shown.until(lambda: f"{SECRET} behind" in shown.pane_text())
        slot = await shown.start(f"echo {SECRET} before; read x; echo {SECRET} after; sleep 1000")
        await shown.until(lambda: f"{SECRET} before" in shown.pane_text())
        assert SECRET not in slot.job.command and SECRET not in shown.stack_text()
        await choose(shown, "mask", "Mask secrets in panes")
        await shown.until(lambda: f"{MASKED} before" in shown.pane_text())
        assert SECRET not in shown.pane_text()
        shown.engine.submit(slot.job.session_id, "").result()
        await shown.until(lambda: f"{MASKED} after" in shown.pane_text())
        shown.deck.area.open(other.id)
        await shown.until(lambda: f"{MASKED} behind" in shown.pane_text())
        assert SECRET not in shown.pane_text()
        shown.deck.area.redact(False)
        await shown.until(lambda: f"{SECRET} behind" in shown.pane_text())


async def test_the_pane_says_that_secrets_are_masked(console: "Opened") -> None:
    async with console(size=(160, 40)) as shown:
        await shown.start("sleep 1000")
        assert "secrets masked" not in shown.screen_text()
        shown.deck.action_do("view.redact")
        await shown.until(lambda: "· secrets masked" in shown.screen_text())
        shown.deck.action_do("view.redact")
        await shown.until(lambda: "· secrets masked" not in shown.screen_text())
