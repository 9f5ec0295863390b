/**
 * The tables of the search index, which came with format 2: of each conversation the place in its log up to which it is entered, and its
 * stretches with their packed texts. `words` has the hashes of their trigrams; a GIN index over numbers is part of every PostgreSQL,
 * and what a trigram is does not depend on the locale of the database.
 */
export const searchTables = `
  CREATE TABLE loom.search_logs (
    log bytea PRIMARY KEY REFERENCES loom.logs ON DELETE CASCADE, number bigint GENERATED ALWAYS AS IDENTITY,
    epoch text NOT NULL, seq bigint NOT NULL, size bigint NOT NULL, version bigint NOT NULL
  ) WITH (fillfactor = 70);
  -- Rows are never changed but for their place, and numbers never used again: processes keep what they have unpacked.
  CREATE TABLE loom.stretches (
    log bytea NOT NULL REFERENCES loom.search_logs ON DELETE CASCADE, id bigint GENERATED ALWAYS AS IDENTITY,
    place integer NOT NULL, size integer NOT NULL, keys bytea NOT NULL, blocks bytea NOT NULL, text bytea NOT NULL,
    words smallint[] NOT NULL, PRIMARY KEY (log, id)
  );
  -- They are compressed already.
  ALTER TABLE loom.stretches ALTER COLUMN text SET STORAGE EXTERNAL, ALTER COLUMN blocks SET STORAGE EXTERNAL;
  CREATE INDEX stretches_by_id ON loom.stretches (id);
  CREATE INDEX stretches_by_words ON loom.stretches USING gin (words);

  -- The stretches that have all words of one alternative of each clause. The index is always used: what a scan of the table costs the
  -- planner cannot know, since the words lie beside it.
  CREATE FUNCTION loom.stretches_with(p_clauses integer[], p_words text[]) RETURNS TABLE (log bytea, id bigint)
  LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
  #variable_conflict use_column
  BEGIN
    RETURN QUERY
      SELECT s.log, s.id FROM loom.stretches s JOIN (
        SELECT m.id FROM unnest(p_clauses, p_words) AS a (clause, words)
        JOIN LATERAL (SELECT t.id FROM loom.stretches t WHERE t.words @> a.words::smallint[]) AS m ON true
        GROUP BY m.id HAVING count(DISTINCT a.clause) = (SELECT count(DISTINCT c) FROM unnest(p_clauses) AS c)
      ) AS found ON found.id = s.id
      ORDER BY s.log, s.place;
  END $$;
`;
