"""The sample of relocations that were read by hand is what the benchmark takes it for."""

from pathlib import Path

import yaml

SAMPLE = Path(__file__).parents[2] / "benchmarks" / "relocation_read.yaml"


def test_the_sample() -> None:
    rows = yaml.safe_load(SAMPLE.read_text(encoding="utf-8"))
    assert len({(row["package"], row["old"], row["at"]) for row in rows}) == 100
    assert all(set(row) == {"package", "old", "new", "at", "now", "verdict"} | ({"is"} & set(row)) for row in rows)
    assert all(("is" in row) == (row["verdict"] == "wrong") for row in rows)
    assert {row["verdict"] for row in rows} == {"right", "wrong"}
    assert all(place.rpartition(":")[2].isdecimal() for row in rows for place in (row["at"], row["now"]))
