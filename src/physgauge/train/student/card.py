"""The figures of a model card, written from the file itself and from a benchmark's result.

The page is written by hand but for what stands between its two marks: `python -m physgauge.train.student
card` writes that anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from physgauge.errors import ConfigError

BEGIN: Final = "<!-- figures: python -m physgauge.train.student card -->"
END: Final = "<!-- end of figures -->"
KIND: Final = {
    "novel_base_known_recipe": "new base, known recipe",
    "known_base_novel_recipe": "known base, new recipe",
    "novel_both": "new base, new recipe",
}


def renew(page: Path, model: Path, result: Path | None) -> None:
    """Write the figures into the page.

    Args:
        page: the model card.
        model: the ONNX file.
        result: output of `python -m benchmarks.student` (its RESULT line); None: only what the file says.

    Raises:
        ConfigError: not a page with the marks, not a student, or no RESULT line.
    """
    text = page.read_text("utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ConfigError(
            f"{page}: expected the lines {BEGIN!r} and {END!r}, got them not once each"
        )
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    told = metadata(model)
    body = [_file(told, model), _reliability(told["figures"]["reliability"])]
    if result is not None:
        body.insert(1, _held_out(read_result(result)))
    page.write_text(f"{before}{BEGIN}\n\n" + "\n\n".join(body) + f"\n\n{END}{after}", "utf-8")


def metadata(model: Path) -> dict[str, Any]:
    """What a student's file says of itself."""
    import onnx

    graph = onnx.load(str(model), load_external_data=False)
    for prop in graph.metadata_props:
        if prop.key == "physgauge_student":
            told: dict[str, Any] = json.loads(prop.value)
            return told
    raise ConfigError(f"{model}: expected a student's metadata, got none")


def read_result(path: Path) -> dict[str, Any]:
    """The last RESULT line of a benchmark's output."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line.startswith("RESULT ")]
    if not lines:
        raise ConfigError(f"{path}: expected a RESULT line, got none")
    found: dict[str, Any] = json.loads(lines[-1].removeprefix("RESULT "))
    return found


def _file(told: Mapping[str, Any], model: Path) -> str:
    on, known = told["trained_on"], told["figures"]["known"]
    temperatures = told["temperatures"]
    return (
        f"Version {told['version']}, {model.stat().st_size / 1e6:.1f} MB. Trained on {on['images']} "
        f"images in {on['steps']} steps ({on['minutes']} minutes). {on['note']}\n\n"
        f"Calibrated on {on['aside']} images kept aside: temperatures {temperatures['eligible']} "
        f"(eligibility), {min(temperatures['yes'])} to {max(temperatures['yes'])} (P(yes)), "
        f"{min(temperatures['major'])} to {max(temperatures['major'])} (P(major)). It declines "
        f"{_percent(known['false_rejection'])} of them (asked for: at most "
        f"{_percent(known['false_rejection_asked'])}), and {_percent(known['nothing_rejected'])} of "
        "procedural pictures of nothing."
    )


def _held_out(result: Mapping[str, Any]) -> str:
    rows = [("all", result), *((KIND[k], result[k]) for k in KIND if k in result)]
    names = (
        "pairs", "declined", "auroc", "pair_accuracy", "own_pair_accuracy", "eligibility", "severity",
        "ece", "ece_any",
    )  # fmt: skip
    table = _table(
        ["held-out", *names], [[name, *(_number(r.get(n)) for n in names)] for name, r in rows]
    )
    each = _table(
        ["category", *(name for name, _ in rows)],
        [
            [c, *(_number(r["per_category"].get(c)) for _, r in rows)]
            for c in result["per_category"]
        ],
    )
    strangers = result["strangers"]
    soft, hard, apart = (
        result[k] for k in ("spearman_soft", "spearman_hard", "spearman_soft_minus_hard")
    )
    return (
        f"{table}\n\nRank correlation with what was planted: S_soft {_span(soft)}, S {_span(hard)}, "
        f"difference {_span(apart)} (95 % bootstrap). Declined: {strangers['photographs_declined']} of "
        f"{strangers['photographs']} photographs, {strangers['noise_declined']} of {strangers['noise']} "
        f"noise images. {result['ms_per_image']:.1f} ms of processor time an image; seed "
        f"{result['seed']}, "
        f"{result['model']}.\n\nAUROC of P(yes) by category, its violated images against all eligible "
        f"ones without it:\n\n{each}"
    )


def _reliability(tables: Mapping[str, Any]) -> str:
    """Bins of the heads, from halves of the images kept aside: fitted on one, measured on the other."""
    wanted = ("eligible", "yes", "major")
    lines = []
    for k in range(10):
        cells = []
        for name in wanted:
            one = tables[name]
            said, happened = one["said"][k], one["happened"][k]
            cells.append(
                "-" if said is None else f"{said:.2f} → {happened:.2f} ({one['count'][k]})"
            )
        lines.append([f"{k / 10:.1f} to {(k + 1) / 10:.1f}", *cells])
    titles = ["probability", "eligible", "P(yes), all", "P(major)"]
    eces = ", ".join(f"{name} {tables[name]['ece']:.3f}" for name in wanted)
    each = ", ".join(
        f"{name} {one['ece']:.3f}" for name, one in tables.items() if name not in wanted
    )
    return (
        "Reliability on images kept aside (said → happened (answers); maps fitted on one half, measured "
        f"on the other, both ways):\n\n{_table(titles, lines)}\n\nExpected calibration error: {eces}. "
        f"By category: {each}."
    )


def _table(titles: list[str], rows: list[list[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _number(value: Any) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _span(one: Mapping[str, float | None]) -> str:
    if one["rho"] is None:
        return "undefined"
    if one["low"] is None or one["high"] is None:
        return f"{one['rho']:.3f}"
    return f"{one['rho']:.3f} ({one['low']:.3f} to {one['high']:.3f})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
