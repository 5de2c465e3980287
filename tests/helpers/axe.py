"""Run axe-core on a page; check contrast on at most three elements per text style, for speed."""

from typing import TYPE_CHECKING, Any

__all__ = ["violations"]

if TYPE_CHECKING:
    from playwright.sync_api import Page

_RUN = """async (colorsOnly) => {
  const behind = new Map([[null, ""]]);
  const backdrop = (node) => {
    if (!behind.has(node)) {
      const { backgroundColor: color, backgroundImage: image, opacity } = getComputedStyle(node);
      const own = color === "rgba(0, 0, 0, 0)" && image === "none" && opacity === "1"
        ? "" : `${color} ${image} ${opacity}/`;
      behind.set(node, backdrop(node.parentElement) + own);
    }
    return behind.get(node);
  };
  const looks = new Map();
  for (const node of document.body.querySelectorAll("*")) {
    const own = [...node.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
    if ((own || node.matches("input, select, textarea")) && node.checkVisibility()) {
      const s = getComputedStyle(node);
      const look = [s.color, s.fontSize, s.fontWeight, s.textShadow, s.position, backdrop(node),
        node.closest("svg") ? s.fill : "", node.closest("[disabled], [aria-disabled]") !== null,
        node.tagName].join();
      const alike = looks.get(look) ?? [];
      looks.set(look, alike);
      if (alike.length < 3) alike.push(node);
    }
  }
  const resultTypes = ["violations"];
  const contrast = await axe.run({ include: [...looks.values()].flat() },
    { resultTypes, runOnly: ["color-contrast"] });
  const rest = colorsOnly ? { runOnly: ["link-in-text-block"] }
    : { rules: { "color-contrast": { enabled: false } } };
  const others = await axe.run(document, { resultTypes, ...rest });
  return [...contrast.violations, ...others.violations];
}"""


def violations(page: "Page", axe: str, *, colors_only: bool = False) -> list[dict[str, Any]]:
    """Rules that the page violates; ``colors_only`` checks only rules that depend on color."""
    if page.evaluate("globalThis.axe === undefined"):
        page.evaluate(axe)
    broken: list[dict[str, Any]] = page.evaluate(_RUN, colors_only)
    return broken
