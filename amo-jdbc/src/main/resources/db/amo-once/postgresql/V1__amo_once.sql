-- Tables of amo-jdbc, version 1. Keys are bytes: two keys are equal if their bytes are, under any collation and encoding.
CREATE TABLE amo_once (
    tenant          bytea NOT NULL,
    idempotency_key bytea NOT NULL,
    fingerprint     bytea NOT NULL,      -- SHA-256 of the request
    reply           bytea,               -- NULL only inside of the transaction that runs the call
    created_at      timestamptz,         -- the time that the key carries, if it carries one
    recorded_at     timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (tenant, idempotency_key)
);
CREATE INDEX amo_once_expiry ON amo_once (expires_at);

-- One row. Invariant: forgotten_to >= created_at of every record that was removed; it never falls.
CREATE TABLE amo_once_state (
    id           smallint PRIMARY KEY CHECK (id = 1),
    version      integer NOT NULL,
    forgotten_to timestamptz NOT NULL
);
INSERT INTO amo_once_state (id, version, forgotten_to) VALUES (1, 1, '1970-01-01 00:00:00+00');
