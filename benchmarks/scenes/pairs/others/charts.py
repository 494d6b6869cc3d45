"""Infographics: charts."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.registry import other

from .pen import Face, Point, Sheet, Theme, face, mixed, theme
from .words import number, sentence, steps, title

Box = tuple[float, float, float, float]


class Chart:
    """A sheet with heading, plot area and perhaps a source line and legend."""

    def __init__(self, rng: Generator, size: int, legend: int = 0) -> None:
        self.rng = rng
        self.theme: Theme = theme(rng)
        self.look: Face = face(rng)
        self.sheet = Sheet(size, self.theme.paper)
        top = 6.0
        if rng.random() < 0.8:
            high = float(rng.uniform(4, 7))
            heading = title(rng, int(rng.integers(2, 5)))
            middle = rng.random() < 0.5
            x, at = (50.0, "mm") if middle else (6.0, "lm")
            self.sheet.text(x, high, heading, high, self.theme.ink, face(rng, 0.04), at, room=88)
            top = 2.4 * high
            if rng.random() < 0.4:
                words = sentence(rng, 8)
                self.sheet.text(x, top, words, 2.8, self.theme.ink, self.look, at, room=86)
                top += 5
        bottom = 92.0
        if rng.random() < 0.4:
            self.sheet.text(6, 96.5, sentence(rng, 5), 2.5, self.theme.faint, self.look)
        right = 95.0
        if legend and rng.random() < 0.75:
            right = self._legend(legend, top)
        self.box: Box = (float(rng.uniform(8, 15)), top + 3, right, bottom - 7)

    def _legend(self, count: int, top: float) -> float:
        """Names of the colours at the right; the x where they begin."""
        names = [title(self.rng, 1) for _ in range(count)]
        for i, one in enumerate(names):
            y = top + 8 + 6 * i
            colour = self.theme.accents[i % 6]
            self.sheet.rect(80, y - 1.5, 83, y + 1.5, colour)
            self.sheet.text(84.5, y, one, 3.2, self.theme.ink, self.look, room=14)
        return 77.0

    def axes(self, labels: list[str]) -> None:
        """Axis lines, a grid and labels of the steps."""
        x0, y0, x1, y1 = self.box
        rng, t = self.rng, self.theme
        if rng.random() < 0.25:
            self.sheet.rect(x0, y0, x1, y1, mixed(t.paper, t.faint, 0.3))
        lines = int(rng.integers(3, 8))
        unit = int(rng.choice([1, 5, 10, 20, 50, 100]))
        for i in range(lines + 1):
            y = y1 + (y0 - y1) * i / lines
            self.sheet.line([(x0, y), (x1, y)], t.faint, 0.25)
            self.sheet.text(x0 - 1, y, str(i * unit), 2.8, t.ink, self.look, "rm", room=x0 - 2)
        every = max(1, len(labels) // 8)
        for i, word in enumerate(labels):
            if i % every == 0:
                x = x0 + (x1 - x0) * (i + 0.5) / len(labels)
                room = (x1 - x0) / len(labels) * every
                self.sheet.text(x, y1 + 3, word, 2.8, t.ink, self.look, "mm", room=room)
        if rng.random() < 0.7:
            self.sheet.line([(x0, y0), (x0, y1), (x1, y1)], t.ink, float(rng.uniform(0.3, 0.8)))


def _walk(rng: Generator, n: int) -> NDArray[np.float64]:
    """A curve of n values within 0.05..0.95."""
    v = np.cumsum(rng.normal(size=n) + rng.normal() * 0.4)
    v = (v - v.min()) / (np.ptp(v) + 1e-9)
    low, high = sorted(rng.uniform(0.05, 0.95, 2))
    walk: NDArray[np.float64] = low + v * max(0.25, high - low) * 0.9
    return np.clip(walk, 0.03, 0.97)


@other("infographic", "bar_chart")
def bars(rng: Generator, size: int) -> U8:
    """Grouped, stacked or single bars, upright or lying."""
    series, n = int(rng.choice([1, 1, 2, 3])), int(rng.integers(3, 13))
    chart = Chart(rng, size, series if series > 1 else 0)
    chart.axes(steps(rng, n))
    x0, y0, x1, y1 = chart.box
    step, gap = (x1 - x0) / n, float(rng.uniform(0.1, 0.4))
    values = rng.uniform(0.05, 0.95, (n, series))
    stacked = series > 1 and rng.random() < 0.4
    by_bar = series == 1 and rng.random() < 0.4
    radius = float(rng.choice([0, 0, 1]))
    for i in range(n):
        foot = y1
        for k in range(series):
            tall = (y1 - y0) * values[i, k] / (series if stacked else 1)
            wide = step * (1 - gap) / (1 if stacked else series)
            left = x0 + step * (i + gap / 2) + (0 if stacked else k * wide)
            colour = chart.theme.accents[(i if by_bar else k) % 6]
            chart.sheet.rect(left, foot - tall, left + wide * 0.95, foot, colour, radius=radius)
            if series == 1 and n < 9 and by_bar:
                words = number(rng)
                chart.sheet.text(
                    left + wide / 2, foot - tall - 2, words, 2.6, chart.theme.ink, None, "mm"
                )
            foot = foot - tall if stacked else y1
    return chart.sheet.done()


@other("infographic", "lying_bar_chart")
def lying(rng: Generator, size: int) -> U8:
    """A ranking: lying bars with names and figures."""
    chart = Chart(rng, size)
    n = int(rng.integers(4, 12))
    x0, y0, x1, y1 = chart.box
    x0 = float(rng.uniform(22, 32))
    values = np.sort(rng.uniform(0.08, 0.92, n))[:: -1 if rng.random() < 0.8 else 1]
    step = (y1 + 6 - y0) / n
    same = rng.random() < 0.5
    for i in range(n):
        y, colour = y0 + step * (i + 0.5), chart.theme.accents[0 if same else i % 6]
        end = x0 + (x1 - x0) * values[i]
        high = min(3.6, step * 0.5)
        chart.sheet.rect(x0, y - step * 0.35, end, y + step * 0.35, colour, radius=0.8)
        chart.sheet.text(
            x0 - 1.5, y, title(rng, 1), high, chart.theme.ink, chart.look, "rm", room=x0 - 4
        )
        chart.sheet.text(end + 1, y, number(rng), high, chart.theme.ink, chart.look)
    return chart.sheet.done()


@other("infographic", "line_chart")
def lines(rng: Generator, size: int) -> U8:
    """Curves or areas over time."""
    series, n = int(rng.integers(1, 5)), int(rng.integers(5, 30))
    chart = Chart(rng, size, series if series > 1 else 0)
    chart.axes(steps(rng, n))
    x0, y0, x1, y1 = chart.box
    filled, dots = rng.random() < 0.3, n < 14 and rng.random() < 0.6
    width = float(rng.uniform(0.4, 1.4))
    for k in range(series):
        v = _walk(rng, n)
        xs = x0 + (x1 - x0) * (np.arange(n) + 0.5) / n
        points = [(float(x), float(y)) for x, y in zip(xs, y1 - (y1 - y0) * v, strict=True)]
        colour = chart.theme.accents[k % 6]
        if filled:
            below: list[Point] = [(points[-1][0], y1), (points[0][0], y1)]
            chart.sheet.poly([*points, *below], mixed(chart.theme.paper, colour, 0.5))
        chart.sheet.line(points, colour, width)
        for x, y in points if dots else ():
            chart.sheet.oval(x, y, width * 1.3, None, colour, chart.theme.paper, 0.3)
    return chart.sheet.done()


@other("infographic", "pie_chart")
def pies(rng: Generator, size: int) -> U8:
    """One pie or ring, or several."""
    n = int(rng.integers(2, 8))
    chart = Chart(rng, size, n)
    x0, y0, x1, y1 = chart.box
    count = int(rng.choice([1, 1, 1, 2, 4]))
    columns = 1 if count == 1 else 2
    rows = count // columns
    ring = rng.random() < 0.45
    for i in range(count):
        w, h = (x1 - x0) / columns, (y1 + 4 - y0) / rows
        x, y = x0 + w * (i % columns + 0.5), y0 + h * (i // columns + 0.5)
        r = min(w, h) * float(rng.uniform(0.36, 0.46))
        cuts = np.cumsum(rng.dirichlet(np.full(n, 2.0))) * 360
        start = float(rng.uniform(0, 360))
        before = 0.0
        for k, cut in enumerate(cuts):
            a, b = start + before, start + float(cut)
            chart.sheet.pie(x, y, r, a, b, chart.theme.accents[k % 6])
            m = np.deg2rad((a + b) / 2)
            if float(cut) - before > 22 and r > 12:
                at = (x + np.cos(m) * r * 0.75, y + np.sin(m) * r * 0.75)
                words = f"{(cut - before) / 3.6:.0f} %"
                chart.sheet.text(*at, words, r * 0.13, chart.theme.paper, chart.look, "mm")
            before = float(cut)
        if ring:
            chart.sheet.oval(x, y, r * 0.55, None, chart.theme.paper)
            chart.sheet.text(x, y, number(rng), r * 0.2, chart.theme.ink, face(rng, 0.05), "mm")
    return chart.sheet.done()


@other("infographic", "scatter_chart")
def scatter(rng: Generator, size: int) -> U8:
    """Dots or bubbles in groups, perhaps with a trend."""
    groups = int(rng.integers(1, 5))
    chart = Chart(rng, size, groups if groups > 1 else 0)
    chart.axes(steps(rng, int(rng.integers(4, 8))))
    x0, y0, x1, y1 = chart.box
    bubbles = rng.random() < 0.35
    for k in range(groups):
        n = int(rng.integers(8, 30 if bubbles else 90))
        middle, spread = rng.uniform(0.25, 0.75, 2), rng.uniform(0.04, 0.18, 2)
        lean = float(rng.uniform(-1, 1))
        p = rng.normal(size=(n, 2)) * spread
        p[:, 1] += lean * p[:, 0]
        p = np.clip(p + middle, 0.02, 0.98)
        sizes = rng.uniform(0.8, 4, n) if bubbles else np.full(n, rng.uniform(0.5, 1.2))
        for (u, v), r in zip(p, sizes, strict=True):
            at = (x0 + (x1 - x0) * u, y1 - (y1 - y0) * v)
            colour = chart.theme.accents[k % 6]
            chart.sheet.oval(*at, float(r), None, colour, chart.theme.paper if bubbles else None)
    if rng.random() < 0.4:
        a, b = rng.uniform(0.1, 0.9, 2)
        ends = [(x0, y1 - (y1 - y0) * a), (x1, y1 - (y1 - y0) * b)]
        chart.sheet.line(ends, chart.theme.ink, 0.5)
    return chart.sheet.done()


@other("infographic", "radar_or_heat_chart", held_out=True)
def wheels(rng: Generator, size: int) -> U8:
    """A spider's web of values, or a table of coloured cells."""
    chart = Chart(rng, size, 2)
    x0, y0, x1, y1 = chart.box
    t, n = chart.theme, int(rng.integers(5, 10))
    if rng.random() < 0.5:
        m = int(rng.integers(4, 10))
        for i, word in enumerate(steps(rng, n)):
            y = y0 + (y1 - y0) * (i + 0.5) / n
            chart.sheet.text(x0 - 1, y, word[:4], 2.6, t.ink, chart.look, "rm")
            for j in range(m):
                w, h = (x1 - x0) / m, (y1 - y0) / n
                colour = mixed(t.paper, t.accents[0], float(rng.uniform(0.05, 1)))
                left = x0 + w * j
                chart.sheet.rect(left, y - h / 2, left + w * 0.96, y + h * 0.46, colour)
        return chart.sheet.done()
    x, y, r = (x0 + x1) / 2, (y0 + y1) / 2 + 2, min(x1 - x0, y1 - y0) * 0.46
    spokes = np.arange(n) * 2 * np.pi / n - np.pi / 2
    rays = np.stack([np.cos(spokes), np.sin(spokes)], 1)

    def web(lengths: NDArray[np.float64]) -> list[Point]:
        return [
            (float(x + r * f * a), float(y + r * f * b))
            for f, (a, b) in zip(lengths, rays, strict=True)
        ]

    for k in range(1, 6):
        chart.sheet.poly(web(np.full(n, k / 5)), None, t.faint, 0.3)
    for tip, word in zip(web(np.full(n, 1.08)), steps(rng, n), strict=True):
        chart.sheet.line([(x, y), tip], t.faint, 0.3)
        chart.sheet.text(*tip, word[:6], 2.8, t.ink, chart.look, "mm")
    for k in range(int(rng.integers(1, 4))):
        lengths = rng.uniform(0.25, 0.95, n)
        chart.sheet.poly(web(lengths), None, t.accents[k], 1.0)
    return chart.sheet.done()
