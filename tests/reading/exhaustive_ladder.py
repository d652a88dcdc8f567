"""A brute-force ladder solver for the tests, independent of the engine: it uses plain sets and tries every move.

A state is ``(black, white, to_move)`` with two frozen sets of (row, column). The attacker may play on any empty
point that leaves the chain with exactly one liberty, or capture it when it has one; the defender may play anywhere or
pass. No state may repeat; ``faced`` holds the earlier ones.
"""

Point = tuple[int, int]
Stones = frozenset[Point]
State = tuple[Stones, Stones, str]


class TooLong(Exception):
    """The move budget is used up."""


class Solver:
    def __init__(self, size: int, target: Point, attacker: str, most: int) -> None:
        self.size = size
        self.target = target
        self.attacker = attacker
        self.most = most

    def captured(self, state: State, faced: frozenset[State]) -> bool:
        black, white, to_move = state
        liberties = self.liberties(state)
        if to_move == self.attacker:
            if len(liberties) == 1:
                after = self.play(state, next(iter(liberties)))
                return after not in faced
            if len(liberties) > 2:
                return False
            return any(
                after not in faced and len(self.liberties(after)) == 1 and self.captured(after, faced | {after})
                for after in (self.play(state, point) for point in self.empty(state))
            )
        if len(liberties) > 2:
            return False
        answers = [self.play(state, point) for point in self.empty(state)]
        answers = [after for after in answers if after not in faced]
        answers.append((black, white, self.attacker))
        return all(
            not self.stands(after) or (len(self.liberties(after)) < 3 and self.captured(after, faced | {after}))
            for after in answers
        )

    def empty(self, state: State) -> list[Point]:
        every = [(row, column) for row in range(self.size) for column in range(self.size)]
        return [point for point in every if point not in state[0] and point not in state[1]]

    def around(self, point: Point) -> set[Point]:
        row, column = point
        steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
        found = {((row + down) % self.size, (column + right) % self.size) for down, right in steps}
        return found - {point}

    def chain(self, stones: Stones, start: Point) -> set[Point]:
        chain, edge = {start}, [start]
        while edge:
            for point in self.around(edge.pop()):
                if point in stones and point not in chain:
                    chain.add(point)
                    edge.append(point)
        return chain

    def open_to(self, chain: set[Point], state: State) -> set[Point]:
        return {near for stone in chain for near in self.around(stone)} - state[0] - state[1]

    def stands(self, state: State) -> bool:
        return self.target in state[self.attacker == "black"]

    def liberties(self, state: State) -> set[Point]:
        """Return the liberties of the target chain; none if it was captured."""
        if not self.stands(state):
            return set()
        return self.open_to(self.chain(state[self.attacker == "black"], self.target), state)

    def play(self, state: State, point: Point) -> State:
        self.most -= 1
        if self.most < 0:
            raise TooLong
        black, white, to_move = state
        mine, theirs = (black, white) if to_move == "black" else (white, black)
        mine |= {point}

        def both() -> State:
            other = "white" if to_move == "black" else "black"
            return (mine, theirs, other) if to_move == "black" else (theirs, mine, other)

        for near in self.around(point):
            if near in theirs and not self.open_to(taken := self.chain(theirs, near), both()):
                theirs -= taken
        if not self.open_to(own := self.chain(mine, point), both()):
            mine -= own
        return both()
