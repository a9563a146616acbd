"""Linear equations, solved exactly."""

from fractions import Fraction


def solve(rows: list[list[Fraction]]) -> list[Fraction]:
    """Return the solution of linear equations in fractions, by elimination; each row ends with its right-hand side."""
    size = len(rows)
    for column in range(size):
        pivot = next(row for row in range(column, size) if rows[row][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        leading = [value / rows[column][column] for value in rows[column]]
        rows[column] = leading
        for row in range(size):
            if row != column and rows[row][column]:
                factor = rows[row][column]
                rows[row] = [value - factor * by for value, by in zip(rows[row], leading, strict=True)]
    return [row[-1] for row in rows]
