"""The SGF grammar: what is read, what is tolerated, and the messages about the rest."""

from __future__ import annotations

import pytest

from daoqi_tui.record.formats import parse
from daoqi_tui.record.sgf import MOST_MEMORY, NODE_BYTES, RawNode
from daoqi_tui.record.sgf.write import serialise
from daoqi_tui.record.text import SgfError, decode_bytes


def shape(root: RawNode) -> list:
    """Return a tree as nested lists, properties as text: ``[";B[aa]", [child], [child]]``."""
    text = ";" + "".join(name + "".join(f"[{raw}]" for raw in values) for name, values in root.properties.items())
    return [text, *(shape(child) for child in root.children)]


def read(text: str) -> list:
    return shape(parse(text.encode()).roots[0])


def test_variations_and_order():
    assert read("(;GM[1](;B[aa];W[bb](;B[cc])(;B[dd]))(;B[ee]))") == [
        ";GM[1]",
        [";B[aa]", [";W[bb]", [";B[cc]"], [";B[dd]"]]],
        [";B[ee]"],
    ]


def test_each_node_knows_its_place_also_those_made_when_asked_for():
    text = "(;SZ[9];B[aa]\n;W[bb];B[cc] (;W[dd];B[ee]\n\n;W[];B[ff]C[x])(;W[gg];B[hh];W[ii]))"
    waiting, places = [parse(text.encode()).roots[0]], []
    while waiting:
        node = waiting.pop(0)
        waiting += node.children
        places.append(node.at)
        ((name, (value,)),) = list(node.properties.items())[:1]
        assert text.startswith(f";{name}[{value}]", node.at)
    assert sorted(places) == [at for at, sign in enumerate(text) if sign == ";"]


def test_properties_keep_their_order_values_and_escapes():
    assert read(r"(;ZZ[1] [2]  C[a\]b\\];AB[aa][bb]AB[cc])") == [r";ZZ[1][2]C[a\]b\\]", [";AB[aa][bb][cc]"]]


def test_long_names_of_the_old_formats():
    assert read("(;GaMe[1]SiZe[9];Black[aa];AddWhite[bb][cc];Comment[x])") == [
        ";GM[1]SZ[9]",
        [";B[aa]", [";AW[bb][cc]", [";C[x]"]]],
    ]


def test_names_all_in_lower_case_are_upper_case():
    assert read("(;sz[9];b[aa])") == [";SZ[9]", [";B[aa]"]]


def test_a_name_begins_with_a_letter_after_its_lower_case_ones_are_gone():
    assert read("(;SZ[9];x1[aa]x_A[bb])") == [";SZ[9]", [";X1[aa]X_A[bb]"]]


def test_text_around_the_games_is_passed_over():
    collection = parse(b"Dear (friend),\nhere:\n (;SZ[9];B[aa])\nand another [x] one\n(;SZ[5])\nbye (for now)")
    assert [shape(root)[0] for root in collection.roots] == [";SZ[9]", ";SZ[5]"]
    assert collection.problems == []


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("(TE[A title]RD[1999-01-01]PB[x]\n;B[pd];W[dd])", [";TE[A title]RD[1999-01-01]PB[x]", [";B[pd]", [";W[dd]"]]]),
        ("( AB[pd][dp]\n[dd];W[pp])", [";AB[pd][dp][dd]", [";W[pp]"]]),
        ("(SZ[9](;B[aa])(;B[bb]))", [";SZ[9]", [";B[aa]"], [";B[bb]"]]),
        ("(;SZ[9];B[aa](W[bb];B[cc])(W[dd]))", [";SZ[9]", [";B[aa]", [";W[bb]", [";B[cc]"]], [";W[dd]"]]]),
        ("(;SZ[9](B[aa]))", [";SZ[9]", [";B[aa]"]]),
        ("Notes (see [1], B[aa]) (TE[x]SZ[9];B[aa])", [";TE[x]SZ[9]", [";B[aa]"]]),
    ],
)
def test_a_node_may_lack_its_semicolon_after_a_parenthesis(text: str, tree: list):
    collection = parse(text.encode())
    assert shape(collection.roots[0]) == tree
    assert collection.problems == []


def test_games_without_the_first_semicolon_among_others():
    collection = parse(b"(TE[a]SZ[9];B[aa])\n(;SZ[5])(see TE[b] and (more)) f(A[1]) (TE[c]SZ[7];B[bb])")
    assert [shape(root)[0] for root in collection.roots] == [";TE[a]SZ[9]", ";SZ[5]", ";TE[c]SZ[7]"]


def test_a_node_after_variations_is_one_more_variation():
    assert read("(;SZ[9](;B[aa]);B[bb])") == [";SZ[9]", [";B[aa]"], [";B[bb]"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;SZ[9]\n;B[aa]\n junk ;W[bb])", "line 3, column 2: 'junk' has no value in brackets; skipped"),
        ("(;SZ[9];B[aa])\r\n(;SZ[9]\r[x]B[aa])", None),
        ("(;SZ[9]\r\n;!B[aa])", "line 2, column 2: '!' belongs to no property; skipped"),
        (
            "(;SZ[9]\r;C[half",
            "line 2, column 3: the bracket opened here is never closed; what follows was skipped",
        ),
        (
            "(;SZ[9]\n(;B[aa]",
            "line 2, column 8: the file is cut off: the '(' at line 2, column 1 is never closed; read up to there",
        ),
    ],
)
def test_what_was_skipped_is_said_with_its_place(text: str, message: str | None):
    problems = [str(problem) for problem in parse(text.encode()).problems]
    assert (message in problems) if message else problems == []


@pytest.mark.parametrize(
    "data", [b"", b"  \n", b"hello", b"(B[aa])", b"f(A[1])", b"\x00\xff" * 500, b"(;", b"(;)", b"\x89(;d>\x1bw;Z"]
)
def test_what_is_no_sgf_is_refused_in_one_sentence(data: bytes):
    with pytest.raises(
        SgfError, match=r"^line 1, column \d+: (this is not (an SGF file|a game record)|the file is empty$)"
    ):
        parse(data)


def test_ten_thousand_nested_variations():
    root = parse(b"(;SZ[9]" + b"(;B[aa]" * 10_000 + b")" * 10_001).roots[0]
    depth = 0
    while root.children:
        root, depth = root.children[0], depth + 1
    assert depth == 10_000


def test_a_hundred_megabytes_are_refused():
    with pytest.raises(SgfError, match="larger than the limit of 16 MB"):
        parse(bytes(100 * 1024 * 1024))


def test_too_many_nodes_are_refused_with_the_place():
    most = MOST_MEMORY // NODE_BYTES
    with pytest.raises(SgfError, match=rf"^line 1, column {most + 2}: the games up to here take more memory than"):
        parse(b"(" + b";" * (most + 5) + b")")


def test_a_value_that_would_break_its_bracket_is_escaped():
    root = RawNode()
    root.properties["C"] = ["a]b", "ends with \\", r"kept \] as it is"]
    assert parse(serialise(root)).roots[0].properties["C"] == [r"a\]b", r"ends with \\", r"kept \] as it is"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("(;C[道棋])".encode(), "(;C[道棋])"),
        ("(;C[道棋])".encode("utf-8-sig"), "(;C[道棋])"),
        ("(;C[道棋])".encode("utf-16"), "(;C[道棋])"),
        ("(;C[道棋])".encode("gb18030"), "(;C[道棋])"),
        ("(;CA[GB2312]C[道棋])".encode("gbk"), "(;CA[GB2312]C[道棋])"),
        ("(;CA[Big5]C[圍棋])".encode("big5"), "(;CA[Big5]C[圍棋])"),
        ("(;CA[shift_jis]C[碁ソ表])".encode("cp932"), "(;CA[shift_jis]C[碁ソ表])"),
        ("(;CA[EUC-KR]C[바둑])".encode("euc_kr"), "(;CA[EUC-KR]C[바둑])"),
        ("(;CA[ISO-8859-1]C[é])".encode("latin-1"), "(;CA[ISO-8859-1]C[é])"),
        (b"(;C[caf\xe9])", "(;C[café])"),
    ],
)
def test_encodings(data: bytes, text: str):
    decoded = decode_bytes(data)
    assert (decoded.text, decoded.complaint) == (text, None)


def test_japanese_whose_bytes_hold_brackets_and_backslashes():
    text = "(;CA[Shift_JIS]C[ソ表十](;B[aa]))"
    assert b"\\" in text.encode("cp932")
    assert shape(parse(text.encode("cp932")).roots[0]) == [";CA[Shift_JIS]C[ソ表十]", [";B[aa]"]]


@pytest.mark.parametrize(
    ("data", "text", "complaint"),
    [
        (
            "(;CA[UTF-8]C[棋])".encode("gb18030"),
            "棋",
            "the file declares UTF-8 but has another encoding; read as GB18030",
        ),
        ("(;CA[idna]C[棋])".encode(), "棋", "the file declares the unknown encoding idna; read as UTF-8"),
        ("(;CA[nonsense]C[棋])".encode(), "棋", "the file declares the unknown encoding nonsense; read as UTF-8"),
    ],
)
def test_a_wrong_declaration_is_said(data: bytes, text: str, complaint: str):
    decoded = decode_bytes(data)
    assert text in decoded.text
    assert str(decoded.complaint) == complaint
