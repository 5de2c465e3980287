"""Addresses such as ``s3://bucket/path``: recognize them, and remove secrets from messages."""

import re

_PORT = re.compile(r":\d*$")
_USER = re.compile(r"(\w://)[^\s/@'\"]*@")
_QUERY = re.compile(r"(\w://[^\s?'\"]+)\?[^\s'\":;,)]*")
_PLAIN = re.compile(r"[?&](?:(?:endpoint_override|region|scheme)=[^&]*|\w+(?==))")
"""Query parameters that messages may show, such as the region of a store."""
_BETWEEN = re.compile(r"[:/?&=@\s]+")
_SHORTEST = 4
"""Length in characters of the shortest secret. Shorter parts of an address stay in messages."""


def is_address(where: str) -> bool:
    """Return whether a text is an address instead of a path.

    >>> is_address("s3://bucket/x"), is_address("C:/results")
    (True, False)
    """
    return "://" in where


def without_secrets(address: str, text: str | None = None) -> str:
    """Return an address, or a text about it, without the user name, password, and query.

    >>> without_secrets("s3://KEY:SECRET@bucket/x/?region=eu")
    's3://bucket/x'
    >>> without_secrets("s3://KEY:SE/CRET@bucket/x", "cannot parse 's3://KEY:SE/CRET@bucket/x'")
    "cannot parse 's3://bucket/x'"
    """
    if not is_address(address):
        return address if text is None else text
    scheme, _, rest = address.partition("://")
    where = f"{scheme}://{_public(rest)}".rstrip("/")
    if text is None:
        return where
    text = text.replace(address, where)
    public = set(_BETWEEN.split(where)) | set(_BETWEEN.split(" ".join(_PLAIN.findall(rest))))
    for part in sorted(set(_BETWEEN.split(rest)) - public, key=len, reverse=True):
        if len(part) >= _SHORTEST:
            text = text.replace(part, "…")
    return text


def text_without_secrets(text: str) -> str:
    """Return a message without the user name, password, and query of any address in it.

    >>> text_without_secrets("https://me:SECRET@host/x?sign=5: is not there")
    'https://host/x: is not there'
    """
    return _QUERY.sub(r"\1", _USER.sub(r"\1", text)) if is_address(text) else text


def _public(rest: str) -> str:
    """Return the public part after the scheme, from the end of the user to the start of the query.

    A password may contain an unencoded slash or question mark.
    """
    head = rest.partition("?")[0]
    host, _, _ = head.partition("/")
    if "@" in host:
        return head.rpartition("@")[2]
    if ":" in host and not _PORT.search(host):
        return rest.rpartition("@")[2].partition("?")[0] if "@" in rest else "…"
    return head
