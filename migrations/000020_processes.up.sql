-- The processes that execute queued runs. One lives as long as it holds the advisory lock of its row, whatever its clock says.
CREATE TABLE processes (
    id          bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    owner       text        NOT NULL, -- as in archive_worker_runs
    host        text        NOT NULL,
    pid         integer     NOT NULL,
    role        text        NOT NULL CONSTRAINT processes_role_is_known CHECK (role <> ''),
    version     text        NOT NULL,
    concurrency integer     NOT NULL CONSTRAINT processes_execute_something CHECK (concurrency > 0),
    started_at  timestamptz NOT NULL DEFAULT now()
);
