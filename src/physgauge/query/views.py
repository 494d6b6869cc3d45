"""What a query sees, beside the rows themselves."""

from __future__ import annotations

from typing import Final

VIEWS: Final[dict[str, str]] = {
    "answers": """
        SELECT image_id, extra, pcmde.domain AS domain, e.key AS probe, e.value.answer AS answer,
               e.value.p_yes AS p_yes, e.value.outcome AS outcome, e.value.severity AS severity,
               e.value.p_major AS p_major, e.value.objects AS objects, e.value.evidence AS evidence,
               e.value.box AS box
        FROM (SELECT image_id, extra, pcmde, unnest(map_entries(terravis.answers)) AS e FROM rows)
    """,
    "rules": """
        SELECT image_id, extra, pcmde.domain AS domain, r.id AS rule, r.category AS category,
               r.status AS status, r.measured AS measured, r.bound AS bound, r.says AS says,
               r.p_violated AS p_violated, r.boxes AS boxes
        FROM (SELECT image_id, extra, pcmde, unnest(pcmde.rules) AS r FROM rows)
    """,
    "detections": """
        SELECT image_id, extra, d.label AS label, d.score AS score, d.box[1] AS x0, d.box[2] AS y0,
               d.box[3] AS x1, d.box[4] AS y1, d.source AS source
        FROM (SELECT image_id, extra, unnest(detections) AS d FROM rows)
    """,
}
"""One line for each TerraVis answer, each rule on each image, each part box; names and meanings as in
:mod:`physgauge.wire`."""
