// The tables of the frame logs that every process can read.

/**
 * The number of an entry is drawn when it is written, so the order of a charger's entries depends on no clock, whoever wrote them. The
 * log is cut into parts by these numbers: the newest entries are in the last part, and old ones go by dropping the first.
 */
export const logSchema = `
  CREATE SEQUENCE frame_log_numbers;
  CREATE TABLE frame_log (
    number bigint NOT NULL DEFAULT nextval('frame_log_numbers'),
    at float8 NOT NULL,
    latency_ms float8,
    charger_id text COLLATE "C" NOT NULL,
    direction text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    action text COLLATE "C",
    message_id text COLLATE "C",
    command_id text COLLATE "C",
    raw text COLLATE "C" NOT NULL
  ) PARTITION BY RANGE (number);
  CREATE INDEX frame_log_by_charger ON frame_log (charger_id, number);

  -- A part has the numbers from its first on and before its end, in a table that its first number names.
  CREATE TABLE frame_log_parts (
    first bigint PRIMARY KEY,
    "end" bigint NOT NULL,
    begun_at bigint,
    full_at bigint
  );

  -- The last batch of each process that writes: after a lost connection it tells whether the batch was written.
  CREATE TABLE frame_log_writers (
    writer text COLLATE "C" PRIMARY KEY,
    batch bigint NOT NULL,
    at bigint NOT NULL
  );
`;
