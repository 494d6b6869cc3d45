"""Messages of the loader and the checker: what is wrong, where, expected, got, and a suggestion."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from physgauge.rules_kernel import (
    ExpressionError,
    Pack,
    PackError,
    RuleError,
    check_pack,
    load_pack,
    parse_pack,
    reference,
)
from tests.kernels.small import HEAD, image, observed, pack_of

RULE_LINE = HEAD.count("\n") + 4
COLUMN = len('rule = "') + 1


@pytest.mark.parametrize(
    ("rule", "column", "message"),
    [
        ("count(nosse) == 1", 6, "unknown component 'nosse', expected a component, an alias or a bound name; did you mean 'nose'?"),
        ("cx(win) < 3", 3, "unknown name 'win', expected a component, an alias or a bound name; did you mean 'wing'?"),
        ("cout(nose) == 1", 0, "unknown function 'cout'; did you mean 'count'?"),
        ("nose < 3", 0, "wrong type of 'nose', expected a number, got a box; for example width(nose) or count(...)"),
        ("cx(nose)", 0, "wrong type of 'cx(nose)', expected a condition, got a number"),
        ("cx(nose) < ", 11, "syntax error, expected a number, a name or '(', got the end of the rule"),
        ("cx(nose) = 3", 9, "unexpected character '='; use == to compare"),
        ("(cx(nose) < 3", 13, "syntax error, expected ')', got the end of the rule"),
        ("cx(nose) < 3 3", 13, "syntax error, expected an operator or the end of the rule, got '3'"),
        ("cx(nose, wing) < 3", 0, "wrong number of arguments for cx, expected cx(box), got 2 arguments"),
        ("iou(nose, nose) < 3", 0, "iou of a box with itself"),
        ("cx(nose) / 0 < 3", 11, "division by zero, got 0"),
        ("cx(nose) / (2 - 2) < 3", 11, "division by zero, got (2 - 2)"),
        ("cx(nose) % 0 < 3", 11, "division by zero, got 0"),
        ("named(nosse)", 6, "unknown component 'nosse', expected a component, an alias or a bound name; did you mean 'nose'?"),
        ("named(torso)", 6, "named needs a single component, got torso"),
        ("count(nose) >= 0", 0, "a comparison that is always true, got count(nose) >= 0"),
        ("iou(nose, wing) > 1.5", 0, "a comparison that is always false, got iou(nose, wing) > 1.5"),
        ("iou(nose, wing) in {2, 3}", 20, "no member of the set can be reached, got iou(nose, wing) in {2, 3}"),
        ("1 < 2", 0, "a comparison that is always true, got 1 < 2"),
        ("5 <= count(nose) <= 3", 0, "a chain that never holds, got 5 <= count(nose) <= 3"),
        ("count(nose) > 3 and count(wing) > 1 and count(nose) < 2", 40, "conditions that never hold together, got count(nose) > 3 and count(wing) > 1 and count(nose) < 2"),
        ("cx(nose) == 5 and cx(nose) in {6, 7}", 18, "conditions that never hold together, got cx(nose) == 5 and cx(nose) in {6, 7}"),
        ("width(nose) > 5 and width(nose) <= 5", 20, "conditions that never hold together, got width(nose) > 5 and width(nose) <= 5"),
        ("present(nose) or not present(nose)", 0, "a condition that is always true, got present(nose) or not present(nose)"),
        ("cx(nose) < cx(wing) or cx(nose) >= cx(wing)", 0, "a condition that is always true, got cx(nose) < cx(wing) or cx(nose) >= cx(wing)"),
        ("cx(nose) > 5 or (present(nose) and not present(nose))", 16, "a condition that is always false, got (present(nose) and not present(nose))"),
        ("present(nose) implies (present(wing) implies present(nose))", 0, "a condition that is always true, got present(nose) implies (present(wing) implies present(nose))"),
        ("not present(nose) iff present(nose)", 0, "a condition that is always false, got not present(nose) iff present(nose)"),
        ("cx(nose) > 5 and present(wing) and cx(nose) > 5", 35, "a condition is twice in this 'and', got cx(nose) > 5"),
        ("count(nose) in {1, 2, 1}", 22, "a number is twice in the set, got 1"),
        ("inside(nose, expand(wing, -50%))", 26, "nothing is left of the box, expected above -50%, got -50%"),
        ("present(nose) implies present(nose)", 0, "both sides of 'implies' are the same: always true"),
        ("all(nose, cx(wing) > 3)", 10, "the condition of all(nose, ...) does not mention 'nose'"),
        ("all(nose, any(nose, cx(nose) > 3))", 14, "'nose' is already the current box of an outer any; name one of them: any(nose as other_nose, ...)"),
        ("all(nose as wing, cx(wing) > 3)", 12, "'wing' already means something else"),
        ("view == sidde", 8, "unknown view 'sidde', expected unknown, side, front_quarter, rear_quarter, front, rear; did you mean 'side'?"),
        ("tag(brid)", 4, "unknown tag 'brid', expected a tag of the pack's tags; did you mean 'bird'?"),
        ("said(leg, beneath, wing)", 0, "unknown fact 'said(leg, beneath, wing)', expected a fact of the pack's [said] facts; did you mean 'leg below wing'?"),
        ("width(foreign) > 3", 6, "foreign is a group of parts, not one box, expected count, boxes, present, largest, all, any, min, max or mean of it"),
        ("expected(torso)", 9, "expected needs a single component, got torso"),
        ("count(span_all) > 1", 6, "'span_all' names no component, expected a component, foreign, or an alias that is a union of components"),
        ("cx(nose) < 1e999", 11, "a number out of range, got 1e999"),
    ],
)  # fmt: skip
def test_expression_messages(rule: str, column: int, message: str) -> None:
    with pytest.raises(ExpressionError) as error:
        pack_of(rule)
    assert str(error.value) == (
        f"small.toml: rule R0: line {RULE_LINE}, column {COLUMN + column}: {message}"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('domain = "small"\n', "", "small.toml: the key 'domain' is missing, expected domain = ..."),
        ("version = 1", "version = 1\nversion = 2", "small.toml: line 4, column 1: the key 'version' appears twice; first on line 3"),
        ("version = 1", "version = true", "small.toml: line 3, column 11: wrong type of 'version', expected a whole number, got True"),
        ("version", "verzion", "small.toml: line 3, column 11: unknown key 'verzion', expected one of aliases, caption, components, domain, evidence, expect, min_score, minimum_rules, missing, name, presence, relational, said, spatial, subject, tags, vacuous, version, view, visibility, weights; did you mean 'version'?"),
        ('"wing", "leg"]', '"wing", "wing"]', "small.toml: line 5, column 14: components: 'wing' appears twice"),
        ('"wing", "leg"]', '"wing", "view"]', "small.toml: line 5, column 14: component 'view' is a word of the language"),
        ("version = 1", 'version = 1\nexpect = "kind"', "small.toml: line 4, column 11: expect, expected type or caption, got 'kind'"),
        ("version = 1", "version = 1\nmin_score = 50", "small.toml: line 4, column 13: min_score, expected 0 to 1, got 50"),
        ("presence = 0.35", "presence = 0.45", "small.toml: line 7, column 11: the weights do not sum to 1, got 1.1"),
        ('span_all = "span(nose, wing)"', 'one = "width(two)"\ntwo = "expand(one, 2)"', "small.toml: line 11, column 8: aliases go in a circle, got one -> two -> one"),
        ('span_all = "span(nose, wing)"', 'near = "gap(nose, nose)"', "small.toml: rule alias near: line 11, column 9: gap of a box with itself"),
        ('span_all = "span(nose, wing)"', 'yes = "present(nose)"', "small.toml: rule alias yes: line 11, column 8: an alias names a box or a number, got a condition"),
        ('["leg", "below", "wing"]', '["leg", "below"]', "small.toml: line 13, column 9: a fact is malformed, expected [\"component\", \"relation\", \"reference\"], got ['leg', 'below']"),
        ("[said]", "[visibility]\nwingg = { side = 0.5 }\n[said]", "small.toml: line 13, column 9: unknown component 'wingg', expected one of nose, wing, leg, other; did you mean 'wing'?"),
        ("[said]", "[visibility]\nwing = { side = 1.5 }\n[said]", "small.toml: line 13, column 8: wing.side, expected a share 0 to 1, got 1.5"),
        ("[said]", '[evidence]\nany_of = ["eye"]\n[said]', "small.toml: line 13, column 10: unknown component 'eye', expected one of nose, wing, leg"),
        ("[said]", "[subject]\nmost = { wing = 2, eye = 1 }\n[said]", "small.toml: line 13, column 8: unknown component 'eye', expected one of nose, wing, leg"),
        ("[said]", "[subject]\nmost = { wing = 0 }\n[said]", "small.toml: line 13, column 8: subject most: wing, expected >= 1, got 0"),
        ("[said]", "[subject]\nmost = { wing = 2.5 }\n[said]", "small.toml: line 13, column 8: wrong type of 'wing', expected a whole number, got 2.5"),
        ("[said]", "[subject]\nmost = { wing = 2, nose = 1 }\nleast = 3\n[said]", "small.toml: line 14, column 9: subject least, expected 1 to the 2 components of most, got 3"),
        ("[said]", "[subject]\n[said]", "small.toml: line 12, column 1: subject least, expected 1 to the 0 components of most, got 2"),
        ("[said]", "[subject]\nanchors = 3\n[said]", "small.toml: line 13, column 11: unknown key 'anchors' in [subject], expected one of least, most"),
        ('id = "R0"', 'id = "R 0"', "small.toml: line 15, column 7: a rule id is malformed, expected 1 to 32 letters, digits, or _ . -, got 'R 0'"),
        ('says = "rule 0"\n', "", "small.toml: rule R0: line 14, column 1: a spatial rule without 'says', expected text, got None"),
        ('says = "rule 0"', 'says = "a"\nviews = ["top"]', "small.toml: rule R0: line 17, column 9: unknown view 'top', expected unknown, side, front_quarter, rear_quarter, front, rear"),
        ('says = "rule 0"', 'says = "a"\nweight = 0', "small.toml: rule R0: line 17, column 10: weight, expected above 0, at most 10, got 0"),
        ('says = "rule 0"', 'says = "a"\nmissing = "skip"', "small.toml: rule R0: line 17, column 12: missing, expected exclude, satisfied or violated, got 'skip'"),
        ('says = "rule 0"', 'says = "a\\u0000b"', "small.toml: line 16, column 8: 'says' holds a control character"),
        ("[[spatial]]", "[spatial]", "small.toml: line 14, column 1: wrong type of 'spatial', expected a list, got {'id': 'R0'"),
        ('says = "rule 0"', 'says = "rule 0"\nsays = "again"', "small.toml: line 17, column 1: the key 'says' appears twice; first on line 16"),
        ("[said]", "[aliases]\n[said]", "small.toml: line 12, column 9: not TOML: Cannot declare ('aliases',) twice"),
        ("[[spatial]]", '[[spatial]]\nid = "R0"\nsays = "b"\nrule = "cx(nose) > 1"\n[[spatial]]', "small.toml: line 19, column 7: the id 'R0' appears twice; first on line 15"),
        ("version = 1", "version = 1 # \0", "small.toml: line 3, column 15: a NUL character"),
        ("version = 1", "version = 1 # " + "[" * 5, None),
    ],
)  # fmt: skip
def test_pack_messages(old: str, new: str, message: str | None) -> None:
    text = HEAD + '[[spatial]]\nid = "R0"\nsays = "rule 0"\nrule = "cx(nose) > 5"\n'
    assert old in text
    if message is None:
        parse_pack(text.replace(old, new, 1).encode(), "small.toml")
        return
    with pytest.raises(RuleError) as error:
        parse_pack(text.replace(old, new, 1).encode(), "small.toml")
    assert str(error.value).startswith(message)


def test_positions_in_long_strings() -> None:
    rule = 'rule = """\ncx(nose) > 5\n  and cx(wng) > 5"""'
    text = HEAD + '[[spatial]]\nid = "R0"\nsays = "x"\n' + rule
    with pytest.raises(ExpressionError, match="unknown name 'wng'") as error:
        parse_pack(text.encode(), "small.toml")
    assert (error.value.line, error.value.column) == (RULE_LINE + 2, 10)


def hostile(rule: str = "cx(nose) > 5", rules: int = 1) -> bytes:
    text = HEAD
    for k in range(rules):
        text += f'[[spatial]]\nid = "R{k}"\nsays = "s"\nrule = "{rule}"\n'
    return text.encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (hostile(rules=10_000), "small.toml: line 18147, column 10: the pack is too big, expected at most 262144 bytes and 256 rules, got more than 262144 bytes, 4534 rules up to there"),
        (hostile(rules=300), f"small.toml: line {HEAD.count(chr(10)) + 1 + 4 * 256 + 1}, column 7: wrong number of rules, expected 1 to 256, got 300"),
        (hostile("(" * 900 + "1" + ")" * 900 + " < 2"), "nested too deeply, expected at most 24 levels"),
        (hostile("not " * 400 + "present(nose)"), "nested too deeply"),
        (hostile("-" * 900 + "1 < cx(nose)"), "nested too deeply"),
        (hostile(" + ".join(["cx(nose)"] * 150) + " > 5"), "nested too deeply"),
        (hostile("cx(nose) > 5 or " * 200 + "cx(nose) > 6"), "the expression is too long, expected at most 2000 characters"),
        (hostile("any(nose as a, any(nose as b, any(nose as c, any(nose as d, cx(a) > cx(d)))))"), "too many nested quantifiers"),
        (b"a = " + b"[" * 200_000, "small.toml: line 1, column 105: not TOML for a pack: nested too deeply, expected at most 100 brackets within brackets"),
        (b"a = 1\nb = " + b"{a=" * 60_000, "small.toml: line 2, column 305: not TOML for a pack: nested too deeply"),
        (b'a = "' + b"[" * 200_000, "small.toml: line 1, column 200006: not TOML"),
        (b"[a]\n" * 60_000, "small.toml: line 2, column 3: not TOML: Cannot declare ('a',) twice"),
        (b"\xff\xfe", "small.toml: line 1, column 1: not UTF-8, got byte 0xff"),
        (b"a = 1\nb = '\xff'", "small.toml: line 2, column 6: not UTF-8, got byte 0xff"),
        (hostile() + b"# \0", "line 18, column 3: a NUL character"),
        (hostile("cx(nose) > " + "9" * 1900), "a number out of range"),
        (hostile("count(" + "n" * 1900 + ") == 1"), "unknown component 'nnnn"),
        (hostile("cx(nose) / (3 * 0 - 0) > 1"), "division by zero, got (3 * 0 - 0)"),
        (HEAD.replace("[aliases]", "[aliases]\n" + "".join(f'a{k} = "width(a{(k + 1) % 50})"\n' for k in range(50))).encode() + hostile()[len(HEAD):], "aliases go in a circle"),
        (b"[" + b".".join([b"a"] * 50_000) + b"]", "line 1, column 201: not TOML for a pack: nested too deeply, expected at most 100 brackets within brackets or names in a dotted key"),
        (b"a" + b" . a" * 50_000 + b" = 1", "line 1, column 399: not TOML for a pack: nested too deeply"),
        (b'x = """' + b'\\"""' * 60_000, "line 1, column 240008: not TOML"),
        (b'x = """' + b'\\"""' * 60_000 + b"\\", "line 1, column 240009: not TOML"),
        (b"version = " + b"9" * 5000, "line 1, column 11: a number too long"),
        (hostile().replace(b"version = 1", b"version = 0x" + b"f" * 100_000), "line 3, column 11: 'version' is too large a number, expected at most 2147483647, got a number of very many digits"),
        (hostile().replace(b"0.35", b"0x" + b"f" * 100_000), "line 7, column 11: 'presence' is too large a number"),
        (hostile().replace(b"version = 1", b"version = 9999999999"), "line 3, column 11: 'version' is too large a number, expected at most 2147483647, got 9999999999"),
        (hostile().replace(b'name = "small"', b'name = "../../small"'), "line 2, column 9: 'name' is no name, expected 1 to 64 letters, digits and _, as NAME or NAME@FLAVOUR, got '../../small'"),
        (hostile().replace(b'domain = "small"', b'domain = "a b"'), "line 4, column 11: 'domain' is no name"),
        (hostile().replace(b'"s"', b'"' + b"s" * 501 + b'"'), "'says' is too long, expected at most 500 characters, got 501"),
        (b"spatial.a = 1\n" + hostile(), "the table '[[spatial]]' is something else already"),
        (hostile() + b"[noise.a.b]", "line 18, column 1: unknown key 'noise'"),
        (b"noise . a = 1" + hostile(), "line 1, column 13: unknown key 'noise'"),
        (b"", "the key 'components' is missing, expected components = ..."),
        (HEAD.encode(), "wrong number of rules, expected 1 to 256, got 0"),
    ],
)  # fmt: skip
def test_hostile_packs_fail_clearly_and_soon(data: bytes, message: str) -> None:
    start = time.process_time()
    with pytest.raises(RuleError, match=re.escape(message)):
        parse_pack(data, "small.toml")
    assert time.process_time() - start < 1, "second of work, as the issue asks"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"no pack named 'carr', .*; did you mean 'car'\?"):
        load_pack("carr")
    with pytest.raises(PackError, match="cannot read the pack: No such file or directory"):
        load_pack(tmp_path / "none.toml")
    with pytest.raises(PackError, match="cannot read the pack: Is a directory"):
        load_pack(tmp_path)
    with pytest.raises(PackError, match="cannot read the pack: not a usable path"):
        load_pack("a\0b.toml")
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(PackError, match="cannot read the pack: not a regular file"):
        load_pack(tmp_path / "pipe.toml")
    (tmp_path / "loop.toml").symlink_to("loop.toml")
    with pytest.raises(PackError, match="cannot read the pack: Too many levels of symbolic links"):
        load_pack(tmp_path / "loop.toml")


def chain_of_aliases(last: str, each: str) -> Pack:
    """60 aliases, each twice the one before: 2^60 of `last` if they were written out."""
    aliases = f'a0 = "{last}"\n' + "".join(
        f'a{k} = "{each.replace("?", f"a{k - 1}")}"\n' for k in range(1, 60)
    )
    rules = '[[spatial]]\nid = "A"\nsays = "s"\nrule = "{}"\n'
    number = "a59 > 1" if "+" in each else "width(a59) > 1"
    return parse_pack(
        (HEAD.replace("[aliases]", "[aliases]\n" + aliases) + rules.format(number)).encode()
    )


@pytest.mark.parametrize(
    ("last", "each"), [("cx(nose) + W", "? + ?"), ("span(nose, wing)", "span(?, expand(?, 1%))")]
)
def test_aliases_of_aliases_are_looked_at_once(last: str, each: str) -> None:
    """By the checker, by what lists a rule's parts, by the oracle."""
    start = time.process_time()
    pack = chain_of_aliases(last, each)
    assert "nose" in pack.rules[0].components
    boxes = image(("nose", 0, 0, 10, 10), ("wing", 20, 0, 30, 10))
    assert reference.evaluate(pack, boxes, observed(pack)).status.tolist() == [[1]]
    assert time.process_time() - start < 1


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert parse_pack(b"\xef\xbb\xbf" + hostile()).rule_ids == ("R0",)
    (error,) = check_pack(b"\xef\xbb\xbfnoise = 1\n" + hostile())
    assert (error.line, error.column, error.problem) == (1, 9, "unknown key 'noise'")


def test_problems_without_end_are_cut_short() -> None:
    start = time.process_time()
    found = check_pack(hostile() + "".join(f"k{k} = 1\n" for k in range(20_000)).encode())
    assert len(found) == 100
    assert time.process_time() - start < 1


def test_windows_line_ends_and_inline_tables(tmp_path: Path) -> None:
    text = HEAD + 'spatial = [{ id = "A", says = "s", rule = "cx(nose) > 5" }]\n'
    file = tmp_path / "pack.toml"
    file.write_bytes(text.replace("[aliases]", "[aliases]").replace("\n", "\r\n").encode())
    with pytest.raises(PackError, match="unknown key 'spatial' in"):
        load_pack(file)
    moved = 'spatial = [{ id = "A", says = "s", rule = "cx(nose) > 5" }]\n' + HEAD
    file.write_bytes(moved.replace("\n", "\r\n").encode())
    assert load_pack(file).rule_ids == ("A",)


def test_the_example_of_the_language_page_is_a_pack() -> None:
    page = (Path(__file__).parents[2] / "rules_kernel" / "LANGUAGE.md").read_text(encoding="utf-8")
    text = page.partition("```toml\n")[2].partition("```")[0]
    assert parse_pack(text.encode()).components == ("wheel", "saddle", "handlebar", "other")


@pytest.mark.parametrize(
    ("views", "rule", "message"),
    [
        ('["side"]', "view == side and cx(nose) > 5", "a view test that is always true here, got views = [side]"),
        ('["side", "rear"]', "cx(nose) > 5 or view in {front}", "a view test that is always false here, got views = [side, rear]"),
        ('["side"]', "view != rear implies cx(nose) > 5", "a view test that is always true here"),
        ('["side"]', "view not in {side, rear} or cx(nose) > 5", "a view test that is always false here"),
        ('["side", "rear"]', "view == side or cx(nose) > 5", None),
    ],
)  # fmt: skip
def test_a_view_that_a_rule_never_sees(views: str, rule: str, message: str | None) -> None:
    if message is None:
        assert pack_of(rule, extra=f"views = {views}").rules[0].views == (1, 5)
        return
    with pytest.raises(ExpressionError) as error:
        pack_of(rule, extra=f"views = {views}")
    at = COLUMN + rule.index("view")
    assert str(error.value).startswith(
        f"small.toml: rule R0: line {RULE_LINE}, column {at}: {message}"
    )


@pytest.mark.parametrize(
    "rule",
    ["count(nose) > 1 and count(nose) < 2", "count(nose) <= 3 and count(nose) >= 3",
     "cx(nose) > 5 and cx(wing) < 5", "cx(nose) < 5 or cx(nose) > 5", "inside(nose, expand(wing, -49%))",
     "(present(nose) implies present(wing)) and (present(wing) implies present(nose))", "5 <= count(nose) <= 5", "all(nose, cx(nose) > 5) and cx(nose) < 5"],
)  # fmt: skip
def test_conditions_that_can_hold_are_left_alone(rule: str) -> None:
    assert pack_of(rule).rule_ids == ("R0",)


def test_all_problems_of_a_pack_at_once() -> None:
    text = (
        HEAD.replace("version", "verzion")
        .replace("0.35", "0.45")
        .replace(
            'torso = "union(wing, leg)"', 'back = "expand(torso, 1)"\ntorso = "union(wng, leg)"'
        )
    )
    for k, rule in enumerate(["cx(nosse) > 5", "cx(nose) > 5", "height(back) > 2", "cx(leg) >"]):
        text += f'[[spatial]]\nid = "R{k % 3}"\nsays = "s"\nrule = "{rule}"\n'
    found = check_pack(text.encode(), "small.toml")
    assert [(error.line, error.rule, error.problem) for error in found] == [
        (None, None, "the key 'version' is missing"),
        (3, None, "unknown key 'verzion'"),
        (7, None, "the weights do not sum to 1"),
        (11, "alias torso", "unknown name 'wng'"),
        (18, "R0", "unknown name 'nosse'"),
        (28, None, "the id 'R0' appears twice"),
    ]
    assert check_pack(HEAD.encode() + hostile()[len(HEAD) :]) == []


def test_a_circle_of_aliases_is_one_problem() -> None:
    text = HEAD.replace(
        "[aliases]", '[aliases]\none = "width(two)"\ntwo = "expand(one, 2)"\nx = "one * 2"'
    )
    text += '[[spatial]]\nid = "A"\nsays = "s"\nrule = "x > 5"\n'
    (error,) = check_pack(text.encode())
    assert (error.problem, error.got) == ("aliases go in a circle", "one -> two -> one")
    (error,) = check_pack(b"\xff")
    assert error.problem == "not UTF-8"
