"""Where the matrices of a figure stand, counted in cells: beside each other, below each other, at a crossing.

Plotly wants shares of the whole. With places in cells every matrix has cells of one size, so that shapes can
be compared by eye, whatever the width. A figure may have several arrangements, the widest first.
"""

from typing import NamedTuple

BESIDE = 1.5  # cells between two matrices side by side, for the names of the rows
BELOW = 2.0  # between two below each other, for a title and the names of the columns
CLOSE = 1.0  # between blocks that are cut from one matrix, of which few have names
BARS_HIGH = 3.0

Size = tuple[float, float]  # rows, columns


class Place(NamedTuple):
    """A rectangle, in cells from the upper left corner of the figure."""

    left: float
    top: float
    wide: float
    high: float


class Arrangement(NamedTuple):
    """A place for each matrix, then one for the bars if there are any, and the size of the whole."""

    places: list[Place]
    wide: float
    high: float

    def domains(self, place: Place) -> tuple[list[float], list[float]]:
        """Across and up, as Plotly counts: shares of the whole, from the lower left corner."""

        def within(low: float, high: float) -> list[float]:
            return [max(0.0, round(low, 4)), min(1.0, round(high, 4))]

        across = within(place.left / self.wide, (place.left + place.wide) / self.wide)
        return across, within(1 - (place.top + place.high) / self.high, 1 - place.top / self.high)

    def room_for_title(self, place: Place) -> float:
        """Cells from the left of a place to the next thing at its height, or to the end of the figure."""

        def shares_its_height(other: Place) -> bool:
            return other.top < place.top + place.high and place.top < other.top + other.high

        lefts = [one.left for one in self.places if one.left > place.left and shares_its_height(one)]
        return round(min(lefts, default=self.wide + 0.2) - place.left, 2)


def in_lines(sizes: list[Size], per_line: int) -> Arrangement:
    """So many side by side, the next ones below them."""
    found, top, wide = [], 0.0, 0.0
    for first in range(0, len(sizes), per_line):
        line, left = sizes[first : first + per_line], 0.0
        for rows, columns in line:
            found.append(Place(left, top, columns, rows))
            left += columns + BESIDE
        top += max(rows for rows, _ in line) + BELOW
        wide = max(wide, left - BESIDE)
    return Arrangement(found, wide, top - BELOW)


def with_bars_below(given: Arrangement) -> Arrangement:
    """With room for bars under everything, as wide as the whole, and for their names under them."""
    bars = Place(0, given.high + 0.6, given.wide, BARS_HIGH)
    return Arrangement([*given.places, bars], given.wide, given.high + 0.6 + BARS_HIGH)


def crossing(left: Size, above: Size, bias: bool, with_bars: bool) -> Arrangement:
    """left · above = product, at the crossing; a bias under it; bars in the corner, beside `above`."""
    (rows, inner), (inner_rows, columns) = left, above
    right, top = inner + BESIDE, inner_rows + BELOW
    places = [
        Place(0, top, inner, rows),
        Place(right, 0, columns, inner_rows),
        Place(right, top, columns, rows),
    ]
    high = top + rows
    if bias:
        places.append(Place(right, high + BELOW, columns, 1))
        high += BELOW + 1
    if with_bars:
        places.append(Place(0, 0, inner, inner_rows))
    return Arrangement(places, right + columns, high)


def packed(whole: Size, blocks: list[Size], most: float, whole_first: bool) -> Arrangement:
    """A matrix and its blocks, in rows of at most so many cells; the first place is the whole's."""
    lines: list[list[int]] = [[]]
    used = 0.0
    for number, (_, columns) in enumerate(blocks):
        if used and used + columns > most:
            lines.append([])
            used = 0.0
        lines[-1].append(number)
        used += columns + CLOSE
    places: dict[int, Place] = {}
    top = whole[0] + BELOW if whole_first else 0.0
    for line in lines:
        left = 0.0
        for number in line:
            rows, columns = blocks[number]
            places[number] = Place(left, top, columns, rows)
            left += columns + CLOSE
        top += max(blocks[number][0] for number in line) + BELOW
    if not whole_first:
        places[-1], top = Place(0, top, whole[1], whole[0]), top + whole[0] + BELOW
    else:
        places[-1] = Place(0, 0, whole[1], whole[0])
    wide = max(place.left + place.wide for place in places.values())
    return Arrangement([places[number] for number in range(-1, len(blocks))], wide, top - BELOW)
