"""Aircraft types: proportions relative to a fuselage of length 2 (x from -1 at the tail to +1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class AircraftType:
    """Proportions of one type."""

    subtype: str
    name: str
    """As captions write it."""
    radius: float
    """Fuselage radius."""
    height: float = 1.0
    """Fuselage height over width (double deckers > 1)."""
    wing_engines: tuple[float, ...] = ()
    """Span fractions of the engines under each wing."""
    tail_engines: bool = False
    """One engine at each side of the rear fuselage."""
    fin_engine: bool = False
    """One more engine at the root of the fin."""
    propeller: bool = False
    engine_size: float = 0.085
    """Nacelle radius."""
    high_wing: bool = False
    t_tail: bool = False
    sweep: float = 28.0
    """Degrees."""
    span: float = 0.92
    """Half span."""
    chord: float = 0.38
    tip: float = 0.11
    wing_x: float = 0.12
    """Where the middle of the wing root sits."""
    fin: float = 0.36
    """Fin height."""
    hump: float = 0.0
    """Upper deck behind the cockpit, as a share of the radius."""
    ramp: bool = False
    """Upswept cargo tail."""

    @property
    def engines(self) -> int:
        """Number of engines."""
        return 2 * len(self.wing_engines) + 2 * self.tail_engines + self.fin_engine


TYPES: Final = (
    AircraftType("boeing_737", "Boeing 737", 0.118, wing_engines=(0.34,), engine_size=0.082,
        fin=0.42),
    AircraftType("airbus_a320", "Airbus A320", 0.116, wing_engines=(0.35,), engine_size=0.08,
        span=0.95, sweep=25.0, fin=0.38),
    AircraftType("boeing_777", "Boeing 777", 0.094, wing_engines=(0.33,), engine_size=0.08,
        span=0.96, sweep=31.0, chord=0.40, fin=0.34),
    AircraftType("boeing_747", "Boeing 747", 0.096, wing_engines=(0.38, 0.68), engine_size=0.062,
        sweep=37.0, span=0.90, chord=0.42, fin=0.32, hump=0.55),
    AircraftType("airbus_a380", "Airbus A380", 0.104, height=1.22, wing_engines=(0.36, 0.64),
        engine_size=0.066, sweep=34.0, span=1.06, chord=0.50, fin=0.38),
    AircraftType("dc_10", "DC-10", 0.11, wing_engines=(0.35,), fin_engine=True, engine_size=0.078,
        sweep=34.0, span=0.92, fin=0.32),
    AircraftType("md_80", "MD-80", 0.078, tail_engines=True, engine_size=0.058, t_tail=True,
        sweep=24.0, span=0.76, chord=0.30, wing_x=-0.08, fin=0.28),
    AircraftType("crj_200", "CRJ-200", 0.096, tail_engines=True, engine_size=0.066, t_tail=True,
        sweep=24.0, span=0.80, chord=0.31, wing_x=-0.08, fin=0.31),
    AircraftType("atr_72", "ATR 72", 0.104, wing_engines=(0.30,), propeller=True, engine_size=0.056,
        high_wing=True, t_tail=True, sweep=2.0, span=0.98, chord=0.22, tip=0.12, wing_x=0.05,
        fin=0.34),
    AircraftType("c_130", "C-130", 0.146, wing_engines=(0.30, 0.56), propeller=True,
        engine_size=0.054, high_wing=True, sweep=1.0, span=1.16, chord=0.32, tip=0.16, wing_x=0.14,
        fin=0.46, ramp=True),
)  # fmt: skip
