"""Bars with error bars, as SVG: black on white, without any library."""

from __future__ import annotations

from html import escape
from typing import Optional, Sequence

_WIDTH, _LABELS, _ROW = 640, 170, 22
_MOST = 40


def number_text(value: object) -> str:
    """
    >>> number_text(12345.678), number_text(0.012345), number_text(None), number_text(1838)
    ('12346', '0.01235', '', '1838')
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def bar_chart(
    labels: Sequence[str],
    values: Sequence[Optional[float]],
    lows: Sequence[Optional[float]],
    highs: Sequence[Optional[float]],
    title: str,
) -> str:
    """Horizontal bars from zero, one below the other; at most forty."""
    shown = min(len(labels), _MOST)
    finite = [
        each
        for group in (values[:shown], lows[:shown], highs[:shown])
        for each in group
        if each is not None and abs(each) < float("inf")
    ]
    least, most = min([0.0, *finite]), max([0.0, *finite])
    span = (most - least) or 1.0
    room = _WIDTH - _LABELS - 90

    def x(value: float) -> float:
        return _LABELS + (min(max(value, least), most) - least) / span * room

    height = 34 + _ROW * shown + (18 if shown < len(labels) else 0)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'font-family="sans-serif" font-size="12" role="img" aria-label="{escape(title)}">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        f'<text x="6" y="17" font-weight="bold">{escape(title)}</text>',
    ]
    for k in range(shown):
        y = 28 + _ROW * k
        label = labels[k] if len(labels[k]) <= 26 else labels[k][:25] + "…"
        out.append(f'<text x="{_LABELS - 8}" y="{y + 14}" text-anchor="end">{escape(label)}</text>')
        value, low, high = values[k], lows[k], highs[k]
        if value is None:
            continue
        left, right = sorted((x(0.0), x(value)))
        out.append(f'<rect x="{left:.1f}" y="{y + 3}" width="{right - left:.1f}" height="{_ROW - 8}" fill="#7a9cc6"/>')
        end = right
        if low is not None and high is not None:
            middle = y + _ROW / 2 - 1
            out.append(
                f'<path d="M{x(low):.1f} {middle:.1f}H{x(high):.1f}M{x(low):.1f} {middle - 4:.1f}v8M{x(high):.1f} {middle - 4:.1f}v8" '
                'stroke="black" fill="none"/>'
            )
            end = max(end, x(high))
        out.append(f'<text x="{end + 6:.1f}" y="{y + 14}">{escape(number_text(value))}</text>')
    if shown < len(labels):
        out.append(f'<text x="6" y="{height - 6}">and {len(labels) - shown} more</text>')
    out.append(f'<path d="M{x(0.0):.1f} 26V{28 + _ROW * shown}" stroke="#888"/></svg>')
    return "".join(out)
