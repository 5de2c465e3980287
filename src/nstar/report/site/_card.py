"""Link previews: Open Graph and Twitter cards."""

import re
from dataclasses import dataclass
from html import escape

from nstar.errors import ParameterError, arg
from nstar.report.prose.numbers import name

SHARE = "share.png"
_SIZE = (1200, 630)
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d{1,5})?(?:/[A-Za-z0-9._~%/-]*)?")


def checked_address(url: str | None) -> str | None:
    """Where a site will stand, with a slash at its end.

    Examples
    --------
    >>> checked_address("https://example.org/boards")
    'https://example.org/boards/'
    """
    if url is None:
        return None
    if not _ADDRESS.fullmatch(url):
        msg = (
            f"{arg('url')} must be an address such as https://example.org/boards; got {url!r:.80}"
        )
        raise ParameterError(msg)
    return f"{url.rstrip('/')}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class SocialCard:
    """A page in a few words, and its picture."""

    title: str
    """The finding, with the benchmark."""
    about: str
    """One sentence more."""
    place: str
    """Where the page stands in the site."""
    image: str | None = None
    """Where its picture stands in the site."""
    alt: str = ""
    """What the picture shows."""
    base: str | None = None
    """Where the site stands; without it addresses are seen from the page."""

    def _at(self, place: str) -> str:
        if self.base is not None:
            return self.base + place
        return "../" * self.place.count("/") + place

    def _picture(self) -> dict[str, str]:
        if self.image is None:
            return {}
        return {
            "og:image": self._at(self.image),
            "og:image:width": f"{_SIZE[0]}",
            "og:image:height": f"{_SIZE[1]}",
            "og:image:alt": name(self.alt, limit=400),
        }

    def tags(self) -> list[str]:
        """Lines of the head of a page."""
        title, description = name(self.title, limit=200), name(self.about, limit=400)
        properties = {"og:type": "website", "og:title": title, "og:description": description}
        if self.base is not None:
            properties["og:url"] = self._at(self.place)
        size = "summary" if self.image is None else "summary_large_image"
        meta_names = {"description": description, "twitter:card": size}
        return [
            *(f'<meta name="{key}" content="{escape(text)}">' for key, text in meta_names.items()),
            *(
                f'<meta property="{key}" content="{escape(text)}">'
                for key, text in (properties | self._picture()).items()
            ),
        ]
