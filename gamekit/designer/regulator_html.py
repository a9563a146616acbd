"""The regulators' sheet as HTML that prints: one file, nothing from outside, the same on any browser."""

from collections.abc import Iterable
from html import escape

from gamekit.designer.regulator import Block, Heading, Table, Text

_STYLE = (
    ":root{color-scheme:light}body{font:12px/1.4 'Liberation Sans',Arial,Helvetica,sans-serif;color:#000;"
    "background:#fff;max-width:190mm;margin:10mm auto;padding:0 5mm}"
    "h1{font-size:20px}h2{font-size:15px;margin:1.6em 0 .5em;border-bottom:1px solid #000;break-after:avoid}"
    "h3{font:bold 12px 'Liberation Mono',monospace;margin:1.2em 0 .3em;break-after:avoid}"
    "div{overflow-x:auto}table{border-collapse:collapse;font-size:10.5px;font-variant-numeric:tabular-nums}"
    "thead{display:table-header-group}tr{break-inside:avoid}"
    "th,td{border:1px solid #888;padding:1px 5px;text-align:left;vertical-align:top}"
    "td:last-child{overflow-wrap:anywhere}"
    "th{background:#e8e8e8}p{max-width:100%;overflow-wrap:anywhere}"
    "@media print{body{max-width:none;margin:0;padding:0}div{overflow:visible}table{font-size:7.5pt}"
    "th,td{padding:0 3px}}"
    "@page{size:A4;margin:14mm;@bottom-right{content:counter(page) ' / ' counter(pages);font:8pt sans-serif}}"
)


def as_html(blocks: Iterable[Block]) -> str:
    """Return `blocks` as a page."""
    body = [_block(block) for block in blocks]
    title = next((line[4:-5] for line in body if line.startswith("<h1>")), "PAR sheet")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def _block(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Text(text):
            return f"<p>{escape(text)}</p>"
        case Table(head, rows):
            top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
            lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            return f"<div><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>"
