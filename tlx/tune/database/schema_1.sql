-- Version 1. A table's UNIQUE columns are its natural key: exports and imports go by them, never by `id`.

CREATE TABLE device (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,    -- as the driver says; "simulated ..." for the simulator
    arch INTEGER NOT NULL, -- compute capability, major * 10 + minor
    driver TEXT NOT NULL,  -- version of the GPU's driver, "" for the simulator
    unit TEXT NOT NULL CHECK (unit IN ('us', 'ops')), -- of its samples: microseconds, or executed ops where simulated
    UNIQUE (name, arch, driver, unit)
);

CREATE TABLE software (
    id INTEGER PRIMARY KEY,
    triton TEXT NOT NULL,
    torch TEXT NOT NULL, -- "" where there is none
    cuda TEXT NOT NULL,  -- that torch was built for, "" where there is none
    flags TEXT NOT NULL, -- JSON: the environment variables that change what Triton compiles
    UNIQUE (triton, torch, cuda, flags)
);

CREATE TABLE kernel (
    id INTEGER PRIMARY KEY,
    module TEXT NOT NULL,
    name TEXT NOT NULL,
    source_hash TEXT NOT NULL, -- of its source and that of its helpers
    tlx_hash TEXT NOT NULL,    -- of tlx's own source, "" for a stock Triton kernel
    UNIQUE (module, name, source_hash, tlx_hash)
);

CREATE TABLE problem (
    id INTEGER PRIMARY KEY,
    kernel_id INTEGER NOT NULL REFERENCES kernel (id),
    key TEXT NOT NULL, -- JSON: what a launch must have in common with this one to use its results
    UNIQUE (kernel_id, key)
);

CREATE TABLE argument ( -- of the launch that a problem was first seen in
    problem_id INTEGER NOT NULL REFERENCES problem (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('pointer', 'descriptor', 'value')),
    dtype TEXT NOT NULL,  -- "" for a value
    shape TEXT NOT NULL,  -- JSON, "" for a value
    strides TEXT NOT NULL, -- JSON, in elements, "" for a value
    alignment INTEGER,    -- of the address, in bytes, 16 at most; NULL for a value
    value TEXT NOT NULL,  -- "" for a pointer or a descriptor
    UNIQUE (problem_id, position)
);

CREATE TABLE config (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE -- JSON with sorted names: meta-parameters and launch options
);

CREATE TABLE setting ( -- a config, taken apart
    config_id INTEGER NOT NULL REFERENCES config (id),
    name TEXT NOT NULL,
    value NOT NULL,
    UNIQUE (config_id, name)
);

CREATE TABLE sweep ( -- one tuning
    id INTEGER PRIMARY KEY,
    device_id INTEGER NOT NULL REFERENCES device (id),
    software_id INTEGER NOT NULL REFERENCES software (id),
    problem_id INTEGER NOT NULL REFERENCES problem (id),
    started TEXT NOT NULL, -- UTC, ISO 8601
    request TEXT NOT NULL, -- hash of the configs or the space, and of how it is searched
    search TEXT NOT NULL,
    budget REAL,           -- seconds, NULL for no limit
    seconds REAL,          -- that it took, NULL while it runs
    winner_id INTEGER REFERENCES config (id), -- the fastest right config, here or in an earlier sweep
    ended TEXT CHECK (ended IN ('complete', 'budget', 'interrupted', 'failed')),
    UNIQUE (device_id, software_id, problem_id, started, request)
);

CREATE TABLE trial ( -- one config in one sweep
    id INTEGER PRIMARY KEY,
    sweep_id INTEGER NOT NULL REFERENCES sweep (id),
    config_id INTEGER NOT NULL REFERENCES config (id),
    outcome TEXT NOT NULL CHECK (outcome IN ('measured', 'rejected')),
    stage TEXT NOT NULL,  -- where it was rejected: prune, compile, static, launch, hang, crash, check; else ''
    reason TEXT NOT NULL, -- why, '' if measured
    shared_bytes INTEGER,
    registers INTEGER,    -- of a thread at the kernel's entry
    spills INTEGER,       -- bytes of a thread's registers in local memory
    compile_seconds REAL,
    error REAL,           -- of its outputs
    reference TEXT,       -- what they were compared with: 'check', 'first config', NULL if not compared
    UNIQUE (sweep_id, config_id)
);

CREATE TABLE sample (
    trial_id INTEGER NOT NULL REFERENCES trial (id),
    round INTEGER NOT NULL, -- candidates of one round ran one after another
    value REAL NOT NULL,    -- in the device's unit
    UNIQUE (trial_id, round)
);

CREATE INDEX trial_of_config ON trial (config_id);
CREATE INDEX sweep_of_problem ON sweep (problem_id);
