"""`physgauge doctor`: what this machine has and lacks."""

from __future__ import annotations

import click

from physgauge.report.printable import printable


@click.command()
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    metavar="NAME|FILE.toml",
    help="A profile to look into  [default: the shipped ones].",
)
@click.option(
    "--triton",
    "site",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Folder with the nvidia-pytriton wheel  [default: $PHYSGAUGE_TRITON, or this environment].",
)
def doctor(profiles: tuple[str, ...], site: str | None) -> None:  # fmt: skip
    """Check this machine, and say what is missing and what brings it. Exit code 3 if anything is."""
    from physgauge.serving import doctor as look

    sections = {"score": look.local(), "serve": look.serve(site)}
    for name in profiles or look.shipped():
        sections[f"profile {name}"] = look.profile(name)
    for title, findings in sections.items():
        click.echo(f"{title}:")
        for finding in findings:
            mark = "ok  " if finding.good else "LACK"
            click.echo(printable(f"  {mark} {finding.what}: {finding.found}"))
    if not all(finding.good for findings in sections.values() for finding in findings):
        raise SystemExit(3)
