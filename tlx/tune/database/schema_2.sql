-- Version 2: which sources a sweep ran from, which launches take its winner, and the caps that rejections depend on.

ALTER TABLE sweep ADD COLUMN tlx TEXT NOT NULL DEFAULT '';      -- version of tlx
ALTER TABLE sweep ADD COLUMN revision TEXT NOT NULL DEFAULT ''; -- git commit of the kernel's repository, '' without one
ALTER TABLE sweep ADD COLUMN dirty INTEGER NOT NULL DEFAULT 0;  -- whether its Python files differed from the commit
ALTER TABLE sweep ADD COLUMN key TEXT NOT NULL DEFAULT '';      -- JSON: what a launch must have in common to take its winner

-- Until now, this was the problem's key. From now on a problem is told apart by all of its arguments.
UPDATE sweep SET key = (SELECT problem.key FROM problem WHERE problem.id = sweep.problem_id) WHERE request <> 'compare';

ALTER TABLE trial ADD COLUMN seconds_cap REAL; -- of a rejection for taking longer than this; else NULL
UPDATE trial SET seconds_cap = CAST(substr(reason, 14) AS REAL) WHERE reason LIKE 'no end after % s';

CREATE INDEX sweep_of_key ON sweep (key, request);
