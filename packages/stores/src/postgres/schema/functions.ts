/**
 * Each write is a function, and so one statement: a process that is stopped in the middle keeps no lock, and a pooler may give each statement
 * another connection. Statements of a function see what was committed before each of them, not before the call.
 */
export const functions = `
  -- Appends to several logs, of each the whole request or nothing, and says where each of them ended before.
  CREATE FUNCTION loom.append(
    p_logs bytea[], p_names bytea[], p_epochs text[], p_fresh text[], p_expected bigint[], p_last bigint[], p_formats integer[],
    p_heads integer[], p_times double precision[], p_head_starts integer[], p_head_sizes integer[],
    r_places integer[], r_seqs bigint[], r_firsts bigint[], r_starts integer[], r_sizes integer[],
    p_bytes bytea
  ) RETURNS TABLE (place integer, epoch text, last_seq double precision, is_done boolean) LANGUAGE plpgsql VOLATILE AS $$
  #variable_conflict use_column
  BEGIN
    IF array_position(p_epochs, NULL) IS NOT NULL THEN
      INSERT INTO loom.logs (log, name, epoch, last_seq, format)
        SELECT a.log, a.name, a.fresh, 0, 1 FROM unnest(p_logs, p_names, p_epochs, p_fresh) AS a (log, name, epoch, fresh)
        WHERE a.epoch IS NULL ORDER BY a.log
        ON CONFLICT (log) DO NOTHING;
    END IF;
    -- In the order of the logs, so that two processes never wait for each other.
    PERFORM 1 FROM loom.logs l WHERE l.log = ANY (p_logs) ORDER BY l.log FOR NO KEY UPDATE;
    RETURN QUERY
      WITH judged AS MATERIALIZED (
        SELECT a.place::integer AS place, a.log, l.epoch, l.last_seq, a.last, a.format, a.head, a.time, a.head_start, a.head_size,
          coalesce(l.epoch = coalesce(a.epoch, a.fresh) AND l.last_seq = a.expected, false) AS is_done
        FROM unnest(p_logs, p_epochs, p_fresh, p_expected, p_last, p_formats, p_heads, p_times, p_head_starts, p_head_sizes)
          WITH ORDINALITY AS a (log, epoch, fresh, expected, last, format, head, time, head_start, head_size, place)
        LEFT JOIN loom.logs l ON l.log = a.log
      ), moved AS (
        UPDATE loom.logs l SET last_seq = j.last, format = greatest(l.format, j.format)
        FROM judged j WHERE l.log = j.log AND j.is_done
      ), written AS (
        INSERT INTO loom.records (log, seq, first, text)
        SELECT j.log, r.seq, r.first, substring(p_bytes FROM r.start FOR r.size)
        FROM unnest(r_places, r_seqs, r_firsts, r_starts, r_sizes) AS r (place, seq, first, start, size)
        JOIN judged j ON j.place = r.place WHERE j.is_done
      ), headed AS (
        INSERT INTO loom.heads (log, time, text)
        SELECT j.log, j.time, substring(p_bytes FROM j.head_start FOR j.head_size) FROM judged j WHERE j.is_done AND j.head = 2
        ON CONFLICT (log) DO UPDATE SET time = excluded.time, text = excluded.text
      ), unheaded AS (
        DELETE FROM loom.heads h USING judged j WHERE h.log = j.log AND j.is_done AND j.head = 1
      )
      SELECT j.place, j.epoch, j.last_seq::double precision, j.is_done FROM judged j;
  END $$;

  CREATE FUNCTION loom.fold(p_log bytea, p_epoch text, p_first bigint, p_last bigint, p_text bytea) RETURNS boolean
  LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    PERFORM 1 FROM loom.logs l WHERE l.log = p_log AND l.epoch = p_epoch FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    -- The record that holds the first change begins with it, and one ends with the last.
    IF (SELECT r.first FROM loom.records r WHERE r.log = p_log AND r.seq >= p_first ORDER BY r.seq LIMIT 1) IS DISTINCT FROM p_first
      OR NOT EXISTS (SELECT FROM loom.records r WHERE r.log = p_log AND r.seq = p_last)
    THEN RETURN false; END IF;
    DELETE FROM loom.records r WHERE r.log = p_log AND r.seq BETWEEN p_first AND p_last;
    INSERT INTO loom.records (log, seq, first, text) VALUES (p_log, p_last, p_first, p_text);
    RETURN true;
  END $$;

  CREATE FUNCTION loom.write_projection(
    p_log bytea, p_name bytea, p_epoch text, p_seq bigint, p_base bigint, p_drop bytea[],
    p_keys bytea[], p_wholes bytea[], p_starts integer[], p_sizes integer[], p_bytes bytea
  ) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    -- Waits for a rewriting of the log, but not for appends.
    PERFORM 1 FROM loom.logs l WHERE l.log = p_log AND l.epoch = p_epoch AND l.last_seq >= p_seq FOR KEY SHARE;
    IF NOT FOUND THEN RETURN false; END IF;
    IF p_base IS NULL THEN
      INSERT INTO loom.projections (log, name, epoch, seq) VALUES (p_log, p_name, p_epoch, p_seq)
        ON CONFLICT (log, name) DO UPDATE SET epoch = p_epoch, seq = p_seq;
      DELETE FROM loom.parts p WHERE p.log = p_log AND p.name = p_name;
    ELSE
      UPDATE loom.projections p SET seq = p_seq
        WHERE p.log = p_log AND p.name = p_name AND p.epoch = p_epoch AND p.seq = p_base;
      IF NOT FOUND THEN RETURN false; END IF;
      DELETE FROM loom.parts p WHERE p.log = p_log AND p.name = p_name AND p.key = ANY (p_drop);
    END IF;
    INSERT INTO loom.parts (log, name, key, whole, text)
      SELECT p_log, p_name, n.key, n.whole, substring(p_bytes FROM n.start FOR n.size)
      FROM unnest(p_keys, p_wholes, p_starts, p_sizes) AS n (key, whole, start, size)
      ON CONFLICT (log, name, key) DO UPDATE SET text = excluded.text;
    RETURN true;
  END $$;

  -- Adds bytes to a spool; false if it was taken over, finished or dropped.
  CREATE FUNCTION loom.grow_spool(p_name bytea, p_writer uuid, p_start bigint, p_sum bigint, p_bytes bytea) RETURNS boolean
  LANGUAGE plpgsql VOLATILE AS $$
  DECLARE v_owner uuid;
  BEGIN
    UPDATE loom.spools s SET size = s.size + length(p_bytes)
      WHERE s.name = p_name AND s.writer = p_writer AND s.blob IS NULL AND s.size = p_start RETURNING s.owner INTO v_owner;
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO loom.pieces (owner, start, size, sum, bytes) VALUES (v_owner, p_start, length(p_bytes), p_sum, p_bytes);
    RETURN true;
  END $$;

  -- Makes a blob of a spool, which goes on naming it.
  CREATE FUNCTION loom.finish_spool(p_name bytea, p_writer uuid, p_hash bytea) RETURNS boolean
  LANGUAGE plpgsql VOLATILE AS $$
  DECLARE v_owner uuid; v_size bigint;
  BEGIN
    UPDATE loom.spools s SET blob = p_hash WHERE s.name = p_name AND s.writer = p_writer
      RETURNING s.owner, s.size INTO v_owner, v_size;
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO loom.blobs (hash, owner, size, put) VALUES (p_hash, v_owner, v_size, loom.now_ms())
      ON CONFLICT (hash) DO UPDATE SET put = excluded.put, sweep = NULL;
    RETURN true;
  END $$;

  -- Forgets a spool. Its pieces stay if they have become those of a blob.
  CREATE FUNCTION loom.drop_spool(p_name bytea, p_writer uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE v_owner uuid; v_blob bytea;
  BEGIN
    DELETE FROM loom.spools s WHERE s.name = p_name AND s.writer = p_writer RETURNING s.owner, s.blob INTO v_owner, v_blob;
    IF NOT FOUND OR EXISTS (SELECT FROM loom.blobs b WHERE b.hash = v_blob AND b.owner = v_owner) THEN RETURN; END IF;
    DELETE FROM loom.pieces p WHERE p.owner = v_owner;
  END $$;

  -- Keeps a blob of one piece.
  CREATE FUNCTION loom.put_blob(p_hash bytea, p_owner uuid, p_sum bigint, p_bytes bytea) RETURNS void
  LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    UPDATE loom.blobs b SET put = loom.now_ms(), sweep = NULL WHERE b.hash = p_hash;
    IF FOUND THEN RETURN; END IF;
    INSERT INTO loom.uploads (owner, since) VALUES (p_owner, loom.now_ms());
    INSERT INTO loom.pieces (owner, start, size, sum, bytes) VALUES (p_owner, 0, length(p_bytes), p_sum, p_bytes);
    PERFORM loom.place_blob(p_owner, p_hash, length(p_bytes));
  END $$;

  -- Gives pieces their blob, or drops them where it is there already.
  CREATE FUNCTION loom.place_blob(p_owner uuid, p_hash bytea, p_size bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    DELETE FROM loom.uploads u WHERE u.owner = p_owner;
    IF NOT FOUND THEN RAISE EXCEPTION 'the pieces of the blob are gone' USING ERRCODE = '57014'; END IF;
    INSERT INTO loom.blobs (hash, owner, size, put) VALUES (p_hash, p_owner, p_size, loom.now_ms())
      ON CONFLICT (hash) DO UPDATE SET put = excluded.put, sweep = NULL;
    IF NOT EXISTS (SELECT FROM loom.blobs b WHERE b.hash = p_hash AND b.owner = p_owner) THEN
      DELETE FROM loom.pieces p WHERE p.owner = p_owner;
    END IF;
  END $$;

  -- Removes a blob that a sweep has marked, unless it was put or finished since then; returns its length.
  CREATE FUNCTION loom.remove_blob(p_hash bytea, p_sweep uuid) RETURNS double precision LANGUAGE plpgsql VOLATILE AS $$
  DECLARE v_owner uuid; v_size bigint;
  BEGIN
    DELETE FROM loom.blobs b WHERE b.hash = p_hash AND b.sweep = p_sweep
      AND NOT EXISTS (SELECT FROM loom.spools s WHERE s.blob = p_hash) RETURNING b.owner, b.size INTO v_owner, v_size;
    IF NOT FOUND THEN RETURN NULL; END IF;
    DELETE FROM loom.pieces p WHERE p.owner = v_owner;
    RETURN v_size;
  END $$;
`;
