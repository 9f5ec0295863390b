/**
 * The tables of format 1. The log, whose name begins with its conversation, comes first in every key, so that tables can be partitioned or spread
 * over servers by it. Names and texts are bytes: a text of PostgreSQL takes no NUL, and bytes sort as code points do.
 */
export const tables = `
  CREATE TABLE loom.format (number integer NOT NULL);
  CREATE TABLE loom.client_ids (last bigint NOT NULL);
  INSERT INTO loom.client_ids VALUES (1);

  -- The name is there only where the key is not all of it.
  CREATE TABLE loom.logs (
    log bytea PRIMARY KEY, name bytea, epoch text NOT NULL, last_seq bigint NOT NULL, format integer NOT NULL
  ) WITH (fillfactor = 70);
  CREATE TABLE loom.records (
    log bytea NOT NULL, seq bigint NOT NULL, first bigint NOT NULL, text bytea NOT NULL, PRIMARY KEY (log, seq)
  );
  CREATE TABLE loom.heads (
    log bytea PRIMARY KEY, time double precision NOT NULL, text bytea NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX heads_by_time ON loom.heads (time DESC, log);

  CREATE TABLE loom.projections (
    log bytea NOT NULL, name bytea NOT NULL, epoch text NOT NULL, seq bigint NOT NULL, PRIMARY KEY (log, name)
  ) WITH (fillfactor = 70);
  CREATE TABLE loom.parts (
    log bytea NOT NULL, name bytea NOT NULL, key bytea NOT NULL, whole bytea, text bytea NOT NULL,
    PRIMARY KEY (log, name, key)
  );

  CREATE TABLE loom.leases (
    key bytea PRIMARY KEY, whole bytea, holder bytea NOT NULL, until double precision NOT NULL
  ) WITH (fillfactor = 70);
  CREATE TABLE loom.once (key bytea PRIMARY KEY, value bytea NOT NULL, until double precision NOT NULL);
  -- What processes share beside logs, such as the tokens: texts that are replaced as a whole.
  CREATE TABLE loom.documents (name text PRIMARY KEY, version bigint NOT NULL, text bytea NOT NULL);
  CREATE INDEX once_by_time ON loom.once (until);

  -- Bytes in pieces: those of a blob, of a spool, or of what is on its way to becoming one.
  CREATE TABLE loom.pieces (
    owner uuid NOT NULL, start bigint NOT NULL, size integer NOT NULL, sum bigint NOT NULL, bytes bytea NOT NULL,
    PRIMARY KEY (owner, start)
  );
  ALTER TABLE loom.pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE loom.uploads (owner uuid PRIMARY KEY, since double precision NOT NULL);
  CREATE TABLE loom.blobs (
    hash bytea PRIMARY KEY, owner uuid NOT NULL, size bigint NOT NULL, put double precision NOT NULL, sweep uuid
  );
  CREATE TABLE loom.spools (
    name bytea PRIMARY KEY, whole bytea, writer uuid NOT NULL, owner uuid NOT NULL, size bigint NOT NULL, blob bytea
  );

  -- The clock of leases and of everything else that ends. Tests put another one in its place.
  CREATE FUNCTION loom.now_ms() RETURNS double precision LANGUAGE sql VOLATILE AS $$
    SELECT extract(epoch FROM clock_timestamp())::double precision * 1000
  $$;
`;
