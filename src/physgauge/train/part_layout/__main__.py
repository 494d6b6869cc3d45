"""``python -m physgauge.train.part_layout``: fit and check the layout models (docs/layout.md)."""

from __future__ import annotations

import json
from pathlib import Path

import click
import numpy as np

from physgauge.rules_kernel import load_pack
from physgauge.rules_kernel.layout import LayoutModel, usual
from physgauge.train.part_layout.data import read
from physgauge.train.part_layout.fit import fit as fit_layouts
from physgauge.types import VIEWS

PATH = click.Path(path_type=Path, exists=True)


@click.group(help=__doc__)
def main() -> None:
    """Command group."""


@main.command()
@click.option(
    "--data", multiple=True, required=True, type=PATH,
    help="Folder of rendered scenes, or a file of boxes of faultless pictures; may be repeated.",
)  # fmt: skip
@click.option("--pack", required=True, help="Rule pack: its domain and components.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The .npz to write.")
@click.option("--gaussians", default=6, show_default=True, type=click.IntRange(1, 32))
@click.option("--seed", default=1, show_default=True)
def fit(data: tuple[Path, ...], pack: str, out: Path, gaussians: int, seed: int) -> None:
    """Fit one domain's model."""
    domain, components = _domain(pack)
    layouts = read(data, domain, components)
    model = fit_layouts(layouts, components, VIEWS, gaussians=gaussians, seed=seed)
    model.save(out)
    told = {"domain": domain, "pictures": len(layouts), "pairs": len(model.mean)}
    print(json.dumps({**told, "bytes": out.stat().st_size}))


@main.command()
@click.option("--data", multiple=True, required=True, type=PATH, help="As for `fit`, others.")
@click.option("--pack", required=True)
@click.argument("model", type=PATH)
def check(data: tuple[Path, ...], pack: str, model: Path) -> None:
    """How many faultless pictures it was not fitted on it calls stranger than 1 in 2, 10, 100, 1000."""
    domain, components = _domain(pack)
    seen = read(data, domain, components)
    found = usual(LayoutModel.load(model), seen.xyxy, seen.label, seen.offsets, seen.view).log_p
    known = np.exp(found[~np.isnan(found)])
    shares = {f"below {p:g}": round(float((known <= p).mean()), 4) for p in (0.5, 0.1, 0.01, 0.001)}
    print(json.dumps({"domain": domain, "pictures": len(seen), "judged": len(known), **shares}))


def _domain(name: str) -> tuple[str, tuple[str, ...]]:
    """Domain and components of a pack, without the implicit last one."""
    pack = load_pack(Path(name) if name.endswith(".toml") else name)
    return pack.domain, tuple(pack.components[:-1])


if __name__ == "__main__":
    main()
