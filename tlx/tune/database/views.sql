-- What questions are asked of. Made anew whenever this file changes; docs/database.md explains each.

-- The median of each trial's samples, how far they lie apart, and how many there are.
CREATE VIEW timing AS
WITH ordered AS (
    SELECT trial_id, value, row_number() OVER (PARTITION BY trial_id ORDER BY value) AS place,
           count(*) OVER (PARTITION BY trial_id) AS count
    FROM sample
)
SELECT trial_id,
       avg(CASE WHEN place IN ((count + 1) / 2, (count + 2) / 2) THEN value END) AS median,
       min(value) AS fastest,
       max(CASE WHEN place <= 1 + 0.2 * (count - 1) THEN value END) AS p20,
       min(CASE WHEN place >= 1 + 0.8 * (count - 1) THEN value END) AS p80,
       max(count) AS samples
FROM ordered
GROUP BY trial_id;

-- A config as people read it: `BLOCK=128 num_warps=4`.
CREATE VIEW config_words AS
SELECT config_id, group_concat(name || '=' || value, ' ') AS words
FROM (SELECT * FROM setting ORDER BY config_id, name)
GROUP BY config_id;

-- A problem as people read it: `x=fp32[1024] n=1024`.
CREATE VIEW problem_words AS
SELECT problem_id, group_concat(name || '=' || dtype || shape || value, ' ') AS words
FROM (SELECT * FROM argument ORDER BY problem_id, position)
GROUP BY problem_id;

-- Every trial with its names: what, where, with which config, and what came of it.
CREATE VIEW result AS
SELECT trial.id AS trial_id, sweep.id AS sweep_id, sweep.problem_id, sweep.device_id, sweep.software_id,
       kernel.module, kernel.name AS kernel, problem.key, problem_words.words AS problem,
       config.text AS config, config_words.words AS settings,
       device.name AS device, device.driver, software.triton, software.torch, software.cuda, software.flags,
       sweep.tlx, sweep.started,
       sweep.revision || CASE sweep.dirty WHEN 1 THEN '-dirty' ELSE '' END AS revision,
       trial.outcome, trial.stage, trial.reason,
       timing.median, device.unit, timing.p20, timing.p80, timing.fastest, timing.samples,
       trial.shared_bytes, trial.registers, trial.spills, trial.compile_seconds, trial.error, trial.reference,
       kernel.source_hash, kernel.tlx_hash
FROM trial
JOIN sweep ON sweep.id = trial.sweep_id
JOIN device ON device.id = sweep.device_id
JOIN software ON software.id = sweep.software_id
JOIN problem ON problem.id = sweep.problem_id
JOIN kernel ON kernel.id = problem.kernel_id
JOIN config ON config.id = trial.config_id
LEFT JOIN config_words ON config_words.config_id = config.id
LEFT JOIN problem_words ON problem_words.problem_id = problem.id
LEFT JOIN timing ON timing.trial_id = trial.id;

-- The newest trial of each config for a problem on a device with given software.
CREATE VIEW latest AS
SELECT * FROM (
    SELECT result.*, row_number() OVER (
        PARTITION BY device_id, software_id, problem_id, config ORDER BY started DESC, trial_id DESC
    ) AS age
    FROM result
) WHERE age = 1;

-- The fastest config of each problem on each device with each software.
CREATE VIEW best AS
SELECT * FROM (
    SELECT latest.*, row_number() OVER (
        PARTITION BY device_id, software_id, problem_id ORDER BY median, config
    ) AS place
    FROM latest
    WHERE outcome = 'measured'
) WHERE place = 1;

-- Configs that were rejected, and why.
CREATE VIEW rejection AS
SELECT kernel, problem, settings, stage, reason, device, triton, started, config FROM latest WHERE outcome = 'rejected';

-- Each measured config against the fastest of its problem: 1.0 is the fastest, 0.5 takes twice as long.
CREATE VIEW scatter AS
SELECT latest.kernel, latest.problem, latest.device, latest.triton, latest.settings, latest.median, latest.unit,
       best.median / latest.median AS of_best, latest.shared_bytes, latest.registers, latest.spills, latest.config
FROM latest
JOIN best USING (device_id, software_id, problem_id)
WHERE latest.outcome = 'measured';

-- What `tlx compare --save` measured last of each candidate on each problem, and how it does beside others.
CREATE VIEW comparison AS
WITH newest AS (
    SELECT *, substr(module, length('tlx compare ') + 1) AS operation,
           substr(kernel, instr(kernel, '/') + 1) AS candidate,
           json_extract(key, '$.title') AS title,
           nullif(json_extract(key, '$.flops'), 0) AS flops, nullif(json_extract(key, '$.bytes'), 0) AS bytes,
           row_number() OVER (
               PARTITION BY kernel, key, device_id, software_id ORDER BY started DESC, trial_id DESC
           ) AS place
    FROM latest
    WHERE module LIKE 'tlx compare %'
)
SELECT this.operation, this.title, this.candidate, this.outcome, this.reason, this.error, this.median, this.unit,
       50 * (this.p80 - this.p20) / this.median AS spread, -- in percent of the median, to each side
       this.samples, this.flops, this.bytes,
       CASE this.unit WHEN 'us' THEN this.flops / this.median / 1e6 END AS tflops,
       CASE this.unit WHEN 'us' THEN this.bytes / this.median / 1e3 END AS gbps,
       CASE this.unit WHEN 'us' THEN naive.median / this.median END AS x_naive,
       CASE this.unit WHEN 'us' THEN torch.median / this.median END AS x_torch,
       this.device, this.driver, this.triton, this.torch, this.cuda, this.flags, this.tlx, this.revision, this.started,
       this.trial_id, this.sweep_id
FROM newest AS this
LEFT JOIN newest AS naive ON naive.place = 1 AND naive.candidate = 'naive' AND naive.module = this.module
      AND naive.key = this.key AND naive.device_id = this.device_id AND naive.software_id = this.software_id
LEFT JOIN newest AS torch ON torch.place = 1 AND torch.candidate = 'torch' AND torch.module = this.module
      AND torch.key = this.key AND torch.device_id = this.device_id AND torch.software_id = this.software_id
WHERE this.place = 1;
