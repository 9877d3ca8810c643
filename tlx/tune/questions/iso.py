"""Two kernels at equal configs: every pair counts, also those that neither kernel would choose."""

from __future__ import annotations

from ..database.command import quoted

__all__ = ["iso_query"]


def iso_query(first: str, second: str) -> str:
    """SQL of the pairs: a problem, settings that both kernels have, both medians, and `b / a`: above 1, `first` wins.

    Problems are equal where their words are. Settings that only one kernel has are its own affair: of the configs that
    differ in them alone, its fastest counts. Of each kernel, the source that was measured last counts.
    """
    return f"""\
WITH points AS (
    SELECT latest.*, config.id AS config_id FROM latest JOIN config ON config.text = latest.config
    WHERE outcome = 'measured' AND kernel IN ({quoted(first)}, {quoted(second)})
      AND (kernel, source_hash, tlx_hash) IN (
          SELECT kernel, source_hash, tlx_hash FROM (
              SELECT *, row_number() OVER (PARTITION BY kernel ORDER BY started DESC, trial_id DESC) AS age_of_source
              FROM result WHERE outcome = 'measured')
          WHERE age_of_source = 1)
), shared AS (
    SELECT name FROM points JOIN setting USING (config_id) GROUP BY name HAVING count(DISTINCT kernel) = 2
), equal AS (
    SELECT points.*, coalesce((
        SELECT group_concat(name || '=' || value, ' ') FROM (
            SELECT name, value FROM setting
            WHERE setting.config_id = points.config_id AND name IN (SELECT name FROM shared) ORDER BY name)), '') AS at
    FROM points
), fastest AS (
    SELECT kernel, problem, device, device_id, software_id, unit, at, min(median) AS median
    FROM equal GROUP BY kernel, problem, device_id, software_id, at
)
SELECT a.problem, a.at AS settings, a.median AS a, b.median AS b, a.unit, b.median / a.median AS ratio, a.device
FROM fastest AS a JOIN fastest AS b USING (problem, device_id, software_id, at)
WHERE a.kernel = {quoted(first)} AND b.kernel = {quoted(second)}
ORDER BY a.device, a.problem, ratio DESC, settings"""
