"""Equations as MathML, which browsers draw themselves: no script, and no request to any host."""

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

# The bars of KL(q ‖ p) must not grow with what is beside them, and "log p" needs a space.
BETTER = {
    "<mo>‖</mo>": '<mo stretchy="false">‖</mo>',
    "<mo>&ApplyFunction;</mo>": '<mo>&ApplyFunction;</mo><mspace width="0.1667em"></mspace>',
}


def _mathml(node: nodes.Element, block: bool) -> str:
    try:
        text: str = latex2mathml.tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        log.warning("%s in %s", error, node.astext(), location=node)
        return ""
    for written, better in BETTER.items():
        text = text.replace(written, better)
    return text


def _inline(writer: Any, node: nodes.Element) -> None:
    writer.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.Element) -> None:
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    identifier = f' id="{node["ids"][0]}"' if node.get("ids") else ""
    equation = f'<div class="wide">{_mathml(node, block=True)}</div>'
    writer.body.append(f'<div class="math"{identifier}>{equation}{number}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
