-- Tables of amo-jdbc, version 1. Keys are bytes: two keys are equal if their bytes are, under any collation.
-- H2 commits at each of these statements: one that was interrupted may be run again.
CREATE TABLE IF NOT EXISTS amo_once (
    tenant          VARBINARY(255) NOT NULL,
    idempotency_key VARBINARY(255) NOT NULL,
    fingerprint     VARBINARY(32) NOT NULL,       -- SHA-256 of the request
    reply           VARBINARY,                    -- NULL only inside of the transaction that runs the call
    created_at      TIMESTAMP(3) WITH TIME ZONE,  -- the time that the key carries, if it carries one
    recorded_at     TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    expires_at      TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    PRIMARY KEY (tenant, idempotency_key)
);
CREATE INDEX IF NOT EXISTS amo_once_expiry ON amo_once (expires_at);

-- One row. Invariant: forgotten_to >= created_at of every record that was removed; it never falls.
CREATE TABLE IF NOT EXISTS amo_once_state (
    id           SMALLINT PRIMARY KEY CHECK (id = 1),
    version      INTEGER NOT NULL,
    forgotten_to TIMESTAMP(3) WITH TIME ZONE NOT NULL
);
INSERT INTO amo_once_state (id, version, forgotten_to) VALUES (1, 1, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00');
