"""The boards to choose from.

In every one black stones, white stones and the board differ in brightness, not only in hue.
"""

from __future__ import annotations

from typing import Final

from daoqi_tui.tui.palette import KAYA, Shades, board_of

SLATE: Final = board_of(
    Shades(
        board=(104, 118, 130),
        line=(66, 78, 90),
        seam=(232, 168, 96),
        black=(16, 18, 22),
        black_shine=(64, 70, 78),
        white=(242, 245, 248),
        white_shade=(188, 197, 206),
        black_ghost=(62, 71, 80),
        white_ghost=(172, 182, 191),
        cursor=(255, 196, 84),
        last=(255, 118, 72),
        chain=(132, 150, 166),
        liberty=(140, 222, 255),
        black_area=(34, 40, 48),
        white_area=(232, 239, 246),
        refused=(214, 62, 62),
        label=(186, 200, 213),
        label_mark=(255, 218, 130),
    ),
    "slate",
    copies=(58, 67, 76),
    frame=(20, 24, 28),
)

PAPER: Final = board_of(
    Shades(
        board=(206, 198, 180),
        line=(152, 143, 124),
        seam=(168, 84, 52),
        black=(28, 27, 26),
        black_shine=(92, 88, 84),
        white=(255, 255, 255),
        white_shade=(228, 223, 212),
        black_ghost=(122, 116, 104),
        white_ghost=(232, 227, 216),
        cursor=(176, 48, 32),
        last=(206, 52, 36),
        chain=(226, 212, 160),
        liberty=(22, 92, 150),
        black_area=(78, 73, 66),
        white_area=(255, 255, 255),
        refused=(206, 44, 44),
        label=(74, 67, 56),
        label_mark=(32, 66, 140),
    ),
    "paper",
    copies=(226, 220, 207),
    frame=(244, 240, 230),
    share=0.6,
)

NIGHT: Final = board_of(
    Shades(
        board=(56, 64, 84),
        line=(88, 98, 124),
        seam=(150, 118, 190),
        black=(8, 9, 13),
        black_shine=(46, 52, 68),
        white=(206, 213, 228),
        white_shade=(148, 156, 176),
        black_ghost=(34, 39, 51),
        white_ghost=(116, 124, 144),
        cursor=(240, 176, 88),
        last=(232, 108, 92),
        chain=(76, 88, 120),
        liberty=(104, 190, 226),
        black_area=(16, 18, 26),
        white_area=(178, 187, 208),
        refused=(178, 52, 62),
        label=(140, 150, 176),
        label_mark=(236, 200, 120),
    ),
    "night",
    copies=(31, 36, 48),
    frame=(11, 13, 19),
)

JADE: Final = board_of(
    Shades(
        board=(122, 158, 132),
        line=(80, 114, 92),
        seam=(226, 188, 110),
        black=(14, 22, 18),
        black_shine=(62, 78, 70),
        white=(246, 250, 244),
        white_shade=(196, 210, 198),
        black_ghost=(72, 96, 80),
        white_ghost=(186, 206, 190),
        cursor=(255, 226, 120),
        last=(255, 112, 76),
        chain=(152, 190, 160),
        liberty=(22, 66, 120),
        black_area=(34, 54, 42),
        white_area=(240, 250, 240),
        refused=(200, 56, 48),
        label=(176, 206, 186),
        label_mark=(20, 52, 110),
    ),
    "jade",
    copies=(68, 91, 75),
    frame=(15, 23, 19),
)

CONTRAST: Final = board_of(
    Shades(
        board=(118, 118, 118),
        line=(60, 60, 60),
        seam=(255, 255, 0),
        black=(0, 0, 0),
        black_shine=(58, 58, 58),
        white=(255, 255, 255),
        white_shade=(196, 196, 196),
        black_ghost=(56, 56, 56),
        white_ghost=(192, 192, 192),
        cursor=(255, 255, 0),
        last=(255, 0, 0),
        chain=(150, 150, 96),
        liberty=(255, 255, 0),
        black_area=(0, 0, 0),
        white_area=(255, 255, 255),
        refused=(255, 0, 0),
        label=(255, 255, 255),
        label_mark=(255, 255, 0),
    ),
    "contrast",
    copies=(52, 52, 52),
    frame=(0, 0, 0),
)
"""Black and white stones stand out equally: their contrast with the board is 4.6 to 1 both ways (WCAG 2)."""

DEUTERANOPIA: Final = board_of(
    Shades(
        board=(205, 178, 132),
        line=(142, 119, 80),
        seam=(0, 92, 156),
        black=(20, 20, 24),
        black_shine=(72, 74, 84),
        white=(252, 251, 248),
        white_shade=(206, 202, 196),
        black_ghost=(112, 99, 78),
        white_ghost=(232, 219, 196),
        cursor=(0, 74, 168),
        last=(0, 128, 208),
        chain=(232, 208, 150),
        liberty=(0, 84, 150),
        black_area=(76, 62, 40),
        white_area=(255, 252, 240),
        refused=(92, 64, 196),
        label=(214, 206, 190),
        label_mark=(0, 60, 140),
    ),
    "deuteranopia",
    copies=(114, 100, 77),
    frame=(16, 21, 28),
)
"""Signs are blue on yellow-brown, the pair that red-green colour blindness keeps apart (Okabe and Ito, 2002)."""

BOARDS: Final = {board.name: board for board in (KAYA, SLATE, PAPER, NIGHT, JADE, CONTRAST, DEUTERANOPIA)}
