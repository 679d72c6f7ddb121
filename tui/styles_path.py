"""Where the stylesheets are: in the installed package, or in the checkout beside it."""

from pathlib import Path


def styles_folder(package: Path = Path(__file__).parent) -> Path:
    """The folder that holds the console's ``.tcss`` files.

    A wheel carries them as ``tui/styles``; an editable install and a checkout have ``styles`` beside ``tui``.

    Args:
        package: The folder of the package ``tui``.

    Raises:
        FileNotFoundError: Neither place has one; the text names both.
    """
    places = (package / "styles", package.parent / "styles")
    for place in places:
        if next(place.glob("*.tcss"), None) or next(place.glob("*/*.tcss"), None):
            return place
    looked = " and ".join(str(place) for place in places)
    raise FileNotFoundError(f"jobdeck's stylesheets are missing, looked in {looked}: install jobdeck again")
