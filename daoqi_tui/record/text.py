"""Text in records: decoded from bytes, escaped and unescaped.

Three forms of one text are kept apart. *Raw* is what the file has between ``[`` and ``]``, escapes included, and
is what travels from file to file. *Text* is the unescaped value. *Plain* is text without anything that a
terminal would interpret (:mod:`daoqi_tui.text`).

The errors and problems of reading a record are also here, since they quote its text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from daoqi_tui.message import Message
from daoqi_tui.text import plain_line

_BREAK = re.compile(r"\r\n|\n\r|\r")
_ESCAPED = re.compile(r"\\(?:\r\n|\n\r|[\r\n]|(.))", re.DOTALL)
"""An escaped character, or a soft line break, which has no character."""
_SAFE_RAW = re.compile(r"[^\]\\]*+(?:\\.[^\]\\]*+)*+", re.DOTALL)


def decode(raw: str) -> str:
    r"""Unescape a raw value of SGF type Text.

    >>> decode(r"a \] and a \\, a soft \
    ... break")
    'a ] and a \\, a soft break'
    """
    if "\\" in raw:
        raw = _ESCAPED.sub(r"\1", raw)
    return _BREAK.sub("\n", raw)


def decode_line(raw: str) -> str:
    """Unescape a raw value of SGF type SimpleText: newlines and tabs become spaces."""
    return decode(raw).replace("\n", " ").replace("\t", " ").strip()


def encode(text: str) -> str:
    r"""Escape ``text`` as a raw value; the colon too, so that it fits composed values.

    >>> encode("[a]:b")
    '[a\\]\\:b'
    """
    return text.replace("\\", "\\\\").replace("]", "\\]").replace(":", "\\:")


def encode_line(text: str) -> str:
    """Escape ``text`` as a raw value of SGF type SimpleText, on one line."""
    return encode(" ".join(text.split()))


def safe(raw: str) -> str:
    """Return ``raw``, escaped if it would not end exactly at its bracket."""
    return raw if _SAFE_RAW.fullmatch(raw) else encode(raw)


MOST_PROBLEMS: Final = 100
"""The maximum number of problems that are kept; a broken file may have one at every byte."""


@dataclass(frozen=True, slots=True)
class SgfProblem:
    """A problem in a record that was skipped or corrected while reading.

    Attributes:
        line: counted from 1, or 0 when the problem has no position in the text.
        column: in characters, counted from 1.
        message: one sentence without a full stop; its quotations from the record are safe to display.
    """

    line: int
    column: int
    message: Message

    def as_message(self) -> Message:
        if not self.line:
            return self.message
        return Message(
            "line {line}, column {column}: {problem}", line=self.line, column=self.column, problem=self.message
        )

    def __str__(self) -> str:
        return str(self.as_message())


class SgfError(ValueError):
    """A record that cannot be read at all; :attr:`problem` says why, with line and column."""

    def __init__(self, message: Message, line: int = 0, column: int = 0) -> None:
        message = message.map_text(plain_line)
        super().__init__(message)
        self.problem = SgfProblem(line, column, message)

    def as_message(self) -> Message:
        return self.problem.as_message()

    def __str__(self) -> str:
        return str(self.problem)


_SAMPLE: Final = 60_000
"""The number of bytes used to guess an encoding; more would not improve the guess."""
_ALONE = re.compile(r"(?<![\u0400-\u04ff])[\u0400-\u04ff](?![\u0400-\u04ff])")
_ALONE_BITS: Final = 5.0
"""For a single-letter Cyrillic word: rare in Russian text, but any accented letter would decode to one."""
_ASCII_BITS: Final = 5.0
"""For an ASCII character that another encoding takes for the second byte of a character."""
_CLASH_BITS: Final = 6.0
"""For a letter next to one of another script, as in ``crйй``."""
_RARE_BITS: Final = 21.0
_BROKEN_BITS: Final = 30.0
"""For bytes that an encoding cannot decode: a record may have a few, cut in the middle of a character."""
# Frequent in everyday Chinese, names of players, and talk about Go; traditional and Japanese forms come last.
_HAN: Final = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然"
    "家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把"
    "机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果"
    "加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔"
    "更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展"
    "马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共"
    "确传师观清今切院让识候带导争运九八六七百千零半"
    "围棋黑白胜负败局贴目子提劫征气打吃断连飞跳尖长立虎挂角拆逼夹镇压扳托退冲挡渡扑滚包活死眼双官收布定式星小目三三天元"
    "杯赛届冠亚军决半联甲乙级段职业余名本因坊棋圣碁霸挑战循环预选网络手薄厚损亏缓急脱先后妙恶俗筋形势优劣判断实地势中盘"
    "认输时负无效终读秒规则让请指教谢你好坏左右上下边腹空投入侵消攻防守杀治孤转换次序问题失误漏着法变化参考图谱讲评注"
    "李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟"
    "汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文古柯聂芮芈檀党时连江牛俞"
    "洁昊卫平晓春杰睿羊越耀烨昱廷韦星啸钰笑鼎浩轩豪尔毅飞维河洗斌光元炜刚磊鹤洋宇垚莹乃伟华明晨源力辉峰强军勇艳涛丽静"
    "敏秀娟娜芳燕玲桂英建志国荣海波宁贵福生玉兰竹雪梅松柏林森德才智慧思诚信义礼仁嘉佳欣怡俊逸博雅琪瑶琳璐瑞祥云帆北京"
    "广州上海成都杭深圳南武汉重庆天津苏四川江浙湖山西香港台湾日韩美欧洲世界春兰三星农心富士通应氏丰田电视快道网弈城野狐新浪"
    "這個們來為國說時會對於後發過裡經麼學現當沒動還進樣開從實軍無與長機業將兩間問關點應戰頭體產東聲員論處義兒氣題變總電數"
    "報結務場計資統區隊決難權記邊張該規萬覺術領確傳師觀導爭運圍黑勝負敗貼連飛掛壓擋撲滾雙圍賽屆冠亞聯級職業餘聖挑環預選網"
    "絡損虧緩脫惡勢優劣斷實盤認輸讀規則讓請謝壞邊轉換誤圖譜講評註劉陳楊趙黃吳孫馬羅鄭韓馮蕭鄧許呂蘇盧蔣賈葉閻鐘譚鄒陸"
    "龍錢湯喬賀賴龔聶勳誠詩淵鈞輔鋐銘琬嘉源華銘諺馨靖庭洙應氏盃錦標灣峰詠仁棋院均皓浩鴻毅翰偉傑彥宗建興榮芳儒軒"
    "気発対戦図変実広売読検験黒囲碁園県会黒白番勝負押中目半先互込持碁本因坊名人棋聖十段天元王座戦位挑戦手合番勝負局第期"
    "井山田中村小大高木林本藤佐伊加渡辺松橋野崎島川原岡石坂上下東西南北武宮正樹敬吾羽根直紳治勲光一夫依紀基遼虎丸許家元沢里"
    "菜愛咲美栄男芳英雄結城聡仲邑菫河臨介秀策呉清源裕太栩黄翊祖平由香奈梅子知恵幽玄間東京大阪厚苦好悪打次定石布形日院電聖竜"
)
_HIRAGANA: Final = frozenset("のはでにをたしといるなっかれがりもすまこてあらきそうよくけ")
_HANGUL: Final = frozenset(
    "이김박최정강조윤장임한오서신권황안송류홍전고문양손배백허유남심노하곽성차주우구민진지나엄채원천방공현함변염석선설마길연"
    "세돌창호훈봉수환철동영목상일준욱기표룡태곤명종대인재혁학규희은미경혜숙자순옥주아라빈찬승범식용웅헌철균근만병복필"
    "바둑흑백승패불계집반덤국단초급아마프로제회배결승전리그도선기삼화재농심라면명왕위천원본인방기원서울부산중일한세계대회결"
    "가는을를의에다고니습었있하해것어지으로도만게들좋렵워졌네요시사여때두터괴롭약강후잘탁드립안녕감합님타젬넷"
)
# Letter frequencies, in bits: Russian text, and accented letters of Western European text.
_CYRILLIC: Final = {
    letter: bits
    for letters, bits in (("оеаинтсрвл", 4.0), ("кмдпуяыьгзбчйхжшюцщэфъё", 6.5), ("АБВГДЕЖЗИКЛМНОПРСТУФХЧШЭЮЯ", 7.5))
    for letter in letters
}
_ACCENTED: Final = {
    letter: bits
    for letters, bits in (
        ("é", 6.0),
        ("èàêçùôîâüöäßñáíóúåøæãõëï", 8.0),
        ("ÉÀÈÊÇÜÖÄÑÁÍÓÚÅØÆœ’«»°½–—…“”„¿¡\xa0", 10.0),
    )
    for letter in letters
}
ENCODINGS: Final = "UTF-8, GB18030, Big5, Shift_JIS, EUC-KR, windows-1251, ISO-8859-1 …"
_DECLARED = re.compile(rb"(?<![A-Za-z])C[a-z]*A[a-z]*\s*\[\s*([\w.:+-]{2,40})\s*\]")
_HEAD: Final = 65_536
"""The number of bytes searched for CA, which is in the root node."""
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE: Final = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
# Only encodings that game records use: some of Python's others are slow or not for text.
# GB2312 and GBK are read as GB18030, which contains them, and likewise for Japanese and Korean.
_KNOWN: Final = {
    "utf-8": "utf-8",
    "ascii": "utf-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "hz": "hz",
    "big5": "big5hkscs",
    "big5hkscs": "big5hkscs",
    "cp950": "cp950",
    "shift_jis": "cp932",
    "cp932": "cp932",
    "euc_jp": "euc_jp",
    "iso2022_jp": "iso2022_jp",
    "euc_kr": "cp949",
    "cp949": "cp949",
    "johab": "johab",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "mac-roman": "mac-roman",
    "tis-620": "tis-620",
}
_SINGLE_BYTE = re.compile(r"iso8859-\d{1,2}|cp(125\d|437|8\d\d)")
_SHOWN: Final = {
    "utf-8": "UTF-8",
    "gb18030": "GB18030",
    "big5hkscs": "Big5",
    "cp932": "Shift_JIS",
    "cp949": "EUC-KR",
    "cp1251": "Windows-1251",
    "cp1252": "Latin-1",
    "latin-1": "Latin-1",
}


class Decoded(NamedTuple):
    """The text of a record.

    Attributes:
        text: the decoded text.
        encoding: the common name of the encoding used.
        guessed: whether no declaration was found, and more than one encoding fits.
        complaint: a sentence if the encoding is not the declared or requested one, else None.
    """

    text: str
    encoding: str
    guessed: bool = False
    complaint: Message | None = None


def decode_bytes(data: bytes, encoding: str | None = None) -> Decoded:
    """Decode the bytes of a record.

    Tried in turn: the encoding that the user chose, a byte order mark, UTF-16 and UTF-32 without one, UTF-8 with
    characters of several bytes, which text in another encoding hardly ever is, the CA property, UTF-8, and the encoding
    that :func:`~daoqi_tui.record.text.guess` finds most likely.

    Raises:
        SgfError: ``encoding`` is unknown.
    """
    if encoding is not None:
        return _as_asked(data, encoding)
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return Decoded(_decoded(data, name).removeprefix("\ufeff"), name.upper())
            except UnicodeDecodeError:
                break
    for name in _WIDE if b"\0" in data[:8] else ():
        head = data[:8].decode(name, "replace")
        if head.isascii() and "\0" not in head:
            return Decoded(data.decode(name, "replace"), name[:6].upper())
    try:
        text: str | None = data.decode("utf-8") if data[:-3].isascii() else _decoded(data, "utf-8")
    except UnicodeDecodeError:
        text = None
    complaint = None
    found = _DECLARED.search(data, 0, _HEAD)
    if found:
        declared = found[1].decode("ascii", "replace")
        known = python_name(declared)
        if known is None:
            complaint = Message("the file declares the unknown encoding {encoding}", encoding=declared)
        elif text is not None and not data.isascii() and known != "utf-8":
            complaint = Message("the file declares {encoding} but has another encoding", encoding=declared)
        else:
            try:
                return Decoded(_decoded(data, known), declared)
            except UnicodeDecodeError:
                complaint = Message("the file declares {encoding} but has another encoding", encoding=declared)
    name = "utf-8" if text is not None else guess(data)
    if text is None:
        text = data.decode(name, "replace")
    shown = _SHOWN[name]
    if complaint is not None:
        complaint = Message("{problem}; read as {encoding}", problem=complaint, encoding=shown)
    return Decoded(text, shown, name != "utf-8", complaint)


def _decoded(data: bytes, name: str) -> str:
    """Decode bytes; of a character that the end of the file cuts in two, nothing is left.

    Raises:
        UnicodeDecodeError: they are not in this encoding.
    """
    return codecs.getincrementaldecoder(name)().decode(data)


def _as_asked(data: bytes, encoding: str) -> Decoded:
    known = python_name(encoding)
    if known is None:
        raise SgfError(Message("{text} is not an encoding of game records: {names}", text=encoding, names=ENCODINGS))
    for mark, name in _BYTE_ORDER_MARKS:
        if name == known:
            data = data.removeprefix(mark)
    try:
        return Decoded(data.decode(known), encoding)
    except UnicodeDecodeError:
        complaint = Message("the file is not valid {encoding}: what cannot be decoded is shown as �", encoding=encoding)
        return Decoded(data.decode(known, "replace"), encoding, complaint=complaint)


def python_name(declared: str) -> str | None:
    """Return Python's name of an encoding that game records use; None for every other."""
    try:
        name = codecs.lookup(declared).name
    except (LookupError, ValueError):
        return None
    return name if _SINGLE_BYTE.fullmatch(name) else _KNOWN.get(name)


def guess(data: bytes) -> str:
    """Guess the encoding of ``data``; return Python's name for it.

    >>> guess("(;PB[井山裕太])".encode("cp932")), guess("(;PB[이세돌])".encode("cp949"))
    ('cp932', 'cp949')
    """
    sample = _sample(data)
    costs = {name: _bits(sample.decode(name, "replace"), cost_of) for name, cost_of in _CANDIDATES.items()}
    return min(costs, key=costs.__getitem__)


def _sample(data: bytes) -> bytes:
    """Return the non-ASCII lines of ``data``, at most about :data:`_SAMPLE` bytes."""
    if len(data) <= _SAMPLE:
        return data
    lines, length = [], 0
    for line in data.splitlines():
        if not line.isascii():
            lines.append(line[:_SAMPLE])
            length += len(line)
            if length > _SAMPLE:
                break
    return b"\n".join(lines)


def _bits(text: str, cost_of: Callable[[str], float]) -> float:
    """Return the cost of ``text`` in bits: the higher, the less likely that it was decoded correctly."""
    bits, before = _ALONE_BITS * len(_ALONE.findall(text)), " "
    for sign in text:
        if sign < "\x80":
            bits += _ASCII_BITS
        else:
            bits += _BROKEN_BITS if sign == "\ufffd" else cost_of(sign)
        if sign.isalpha() and before.isalpha() and _script(sign) != _script(before):
            bits += _CLASH_BITS
        before = sign
    return bits


@cache
def _script(sign: str) -> str:
    """Return the script of a character: ``latin``, ``cyrillic`` or ``east`` (East Asian)."""
    return "latin" if sign < "\u0370" else "cyrillic" if sign < "\u0530" else "east"


def _coded(sign: str, encoding: str, *ranges: tuple[int, int, float], otherwise: float = _RARE_BITS) -> float:
    """Return the bits of a character by the range of its two-byte code in an encoding: first, last and bits of each."""
    try:
        code = int.from_bytes(sign.encode(encoding), "big")
    except UnicodeEncodeError:
        return otherwise
    return next((bits for first, last, bits in ranges if first <= code <= last), otherwise)


def _any(sign: str) -> float:
    """Return the bits of a character in UTF-8, which other encodings hardly ever match by chance."""
    return 10.0 if sign.isprintable() else _RARE_BITS


@cache
def _simplified(sign: str) -> float:
    if sign in _HAN:
        return _coded(sign, "gb2312", (0xB0A1, 0xF7FE, 9.5), otherwise=15.0)
    # Punctuation with full-width letters and digits, then characters by how frequent they are.
    return _coded(sign, "gb2312", (0xA1A1, 0xA3FE, 9.0), (0xB0A1, 0xD7F9, 13.5), (0xD8A1, 0xF7FE, 16.5))


@cache
def _traditional(sign: str) -> float:
    frequent = 9.5 if sign in _HAN else 13.9
    return _coded(sign, "big5", (0xA140, 0xA3BF, 9.0), (0xA440, 0xC67E, frequent), (0xC940, 0xF9D5, 17.5))


@cache
def _japanese(sign: str) -> float:
    if "\uff61" <= sign <= "\uff9f":
        return 13.0  # Katakana of half width: one byte each.
    if "\u3041" <= sign <= "\u3096":
        return 6.5 if sign in _HIRAGANA else 9.5
    if "\u30a1" <= sign <= "\u30fc":
        return 9.0
    frequent = 10.0 if sign in _HAN else 14.0
    return _coded(sign, "cp932", (0x8140, 0x829A, 9.5), (0x889F, 0x9872, frequent), (0x989F, 0xEAA4, 18.0))


@cache
def _korean(sign: str) -> float:
    if sign in _HANGUL:
        return 8.5
    if "가" <= sign <= "힣":
        return _coded(sign, "euc_kr", (0xB0A1, 0xC8FE, 13.5))
    return _coded(sign, "euc_kr", (0xA1A1, 0xA3FE, 10.0), otherwise=18.0 if sign in _HAN else _RARE_BITS)


def _russian(sign: str) -> float:
    return _CYRILLIC.get(sign, 11.0 if sign in "«»—–№…“”„’\xa0" else 14.0)


def _western(sign: str) -> float:
    return _ACCENTED.get(sign, 12.5 if sign.isalpha() else 14.0 if sign >= "\xa0" else _RARE_BITS)


_CANDIDATES: Final[dict[str, Callable[[str], float]]] = {
    "utf-8": _any,
    "gb18030": _simplified,
    "big5hkscs": _traditional,
    "cp932": _japanese,
    "cp949": _korean,
    "cp1251": _russian,
    "cp1252": _western,
    "latin-1": _western,
}
"""The scoring of each encoding's text; in a tie the first wins."""
