// The first version of the PostgreSQL database.

import { partitionCount } from '../../../ports/partition.ts';

/** What a charger is counted by; a row of these tables is called `row`. */
const kind = (row: string) =>
  `${row}.org, coalesce(${row}.ocpp_version, ''), ${row}.desired, ${row}.provisioning_status`;

export const schema = `
  CREATE TABLE chargers (
    id text COLLATE "C" PRIMARY KEY,
    partition smallint NOT NULL,
    org text COLLATE "C" NOT NULL,
    identity text COLLATE "C" NOT NULL,
    name text,
    vendor_name text,
    model text,
    model_id text,
    ocpp_version text,
    connector_type text,
    max_charging_power_w float8 NOT NULL,
    location_id text COLLATE "C",
    ws_url text,
    seed float8 NOT NULL,
    desired text NOT NULL,
    generation int NOT NULL,
    provisioning_status text NOT NULL CHECK (provisioning_status IN ('pending', 'provisioning', 'ready', 'failed')),
    provisioning_step text NOT NULL,
    provisioning_attempts int NOT NULL,
    provisioning_error text,
    provisioning_started_at bigint NOT NULL,
    provisioning_finished_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    -- As they are searched: folded by the gateway, so that it does not depend on the database's locale.
    identity_lower text COLLATE "C" NOT NULL,
    name_lower text COLLATE "C",
    features text NOT NULL,
    layout text NOT NULL,
    security text,
    UNIQUE (org, identity)
  ) WITH (fillfactor = 85);
  CREATE INDEX chargers_by_partition ON chargers (partition, id);
  CREATE INDEX chargers_by_org ON chargers (org, id);
  CREATE INDEX chargers_by_location ON chargers (org, location_id, id);
  CREATE INDEX chargers_by_provisioning ON chargers (org, provisioning_status, id);

  -- A row for every charger from its creation on, so that keeping a memory is a mere update and cannot outlive its charger. The
  -- room left in each page lets new versions of a row stay beside the old ones, and no index hears of them.
  CREATE TABLE charger_memory (
    charger text COLLATE "C" PRIMARY KEY,
    memory text
  ) WITH (fillfactor = 60);

  -- Apart from the memories, which are ten times as long: it is written at every sample of a meter.
  CREATE TABLE charger_addendum (
    charger text COLLATE "C" PRIMARY KEY,
    addendum text
  ) WITH (fillfactor = 60);

  -- How many chargers of each kind an org has, so that a page never counts them. Every statement adds rows with its differences,
  -- and a total is the sum of its rows: nobody waits for anybody, as all would for one row that they had to change. Now and then
  -- the rows of an org are folded into one for each kind.
  CREATE TABLE charger_totals (
    org text COLLATE "C" NOT NULL,
    version text NOT NULL,
    desired text NOT NULL,
    status text NOT NULL,
    difference bigint NOT NULL
  );
  CREATE INDEX charger_totals_by_org ON charger_totals (org);

  CREATE FUNCTION fold_charger_totals(orgs text[]) RETURNS void LANGUAGE sql AS $$
    WITH folded AS (
      DELETE FROM charger_totals WHERE ctid = ANY (ARRAY(
        -- What another has in hand is left to it.
        SELECT ctid FROM charger_totals WHERE org = ANY (orgs) FOR UPDATE SKIP LOCKED
      )) RETURNING *
    )
    INSERT INTO charger_totals
      SELECT org, version, desired, status, sum(difference) FROM folded GROUP BY 1, 2, 3, 4 HAVING sum(difference) <> 0
  $$;

  CREATE FUNCTION count_chargers() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    is_fold_due CONSTANT boolean := random() < 0.01;
    orgs text[];
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO charger_totals SELECT ${kind('added')}, count(*) FROM added GROUP BY 1, 2, 3, 4;
      IF is_fold_due THEN orgs := ARRAY(SELECT DISTINCT org FROM added); END IF;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO charger_totals SELECT ${kind('removed')}, -count(*) FROM removed GROUP BY 1, 2, 3, 4;
      IF is_fold_due THEN orgs := ARRAY(SELECT DISTINCT org FROM removed); END IF;
    ELSE
      INSERT INTO charger_totals
        SELECT org, version, desired, status, sum(difference) FROM (
          SELECT ${kind('added')}, 1 FROM added UNION ALL SELECT ${kind('removed')}, -1 FROM removed
        ) AS changes (org, version, desired, status, difference)
        GROUP BY 1, 2, 3, 4 HAVING sum(difference) <> 0;
      IF is_fold_due THEN orgs := ARRAY(SELECT DISTINCT org FROM added); END IF;
    END IF;
    IF is_fold_due THEN PERFORM fold_charger_totals(orgs); END IF;
    RETURN NULL;
  END
  $$;
  CREATE TRIGGER chargers_added AFTER INSERT ON chargers
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_chargers();
  CREATE TRIGGER chargers_changed AFTER UPDATE ON chargers
    REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_chargers();
  CREATE TRIGGER chargers_removed AFTER DELETE ON chargers
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_chargers();

  CREATE TABLE cpos (
    id text COLLATE "C" PRIMARY KEY,
    org text COLLATE "C" NOT NULL,
    name text NOT NULL,
    country_code text NOT NULL,
    party_id text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    -- How many it has. Whoever adds one changes this row, so that a CPO cannot go while a location of it comes.
    locations int NOT NULL DEFAULT 0
  );
  CREATE INDEX cpos_by_org ON cpos (org, id);

  CREATE TABLE locations (
    id text COLLATE "C" PRIMARY KEY,
    org text COLLATE "C" NOT NULL,
    cpo_id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    template text NOT NULL,
    site text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
  );
  CREATE INDEX locations_by_cpo ON locations (org, cpo_id, id);
  CREATE INDEX locations_by_name ON locations (org, name, id);

  CREATE TABLE receipts (
    org text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    status int NOT NULL,
    headers text NOT NULL,
    body text NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (org, key)
  );
  CREATE INDEX receipts_by_age ON receipts (at);

  CREATE TABLE commands (
    id text COLLATE "C" PRIMARY KEY,
    -- The order of acceptance.
    seq bigint GENERATED ALWAYS AS IDENTITY,
    org text COLLATE "C" NOT NULL,
    charger_id text COLLATE "C" NOT NULL,
    -- Of its charger.
    partition smallint NOT NULL,
    identity text NOT NULL,
    ocpp_version text NOT NULL,
    event_type text NOT NULL,
    payload text NOT NULL,
    accepted_at bigint NOT NULL,
    status text NOT NULL DEFAULT 'queued',
    started_at bigint,
    -- Null exactly as long as the command has not ended.
    finished_at bigint,
    error_code text,
    error text,
    result text,
    exchanges text
  );
  CREATE INDEX commands_by_org ON commands (org, seq);
  CREATE INDEX commands_by_charger ON commands (charger_id, seq);
  -- What owners of partitions look for.
  CREATE INDEX commands_waiting ON commands (partition) WHERE status = 'queued';
  -- Those that have not ended are few, and so are those that failed.
  CREATE INDEX commands_open_by_charger ON commands (charger_id) WHERE finished_at IS NULL;
  CREATE INDEX commands_open_by_org ON commands (org, seq) WHERE finished_at IS NULL;
  CREATE INDEX commands_failed_by_org ON commands (org, seq) WHERE status = 'failed';
  CREATE INDEX commands_by_end ON commands (finished_at) WHERE finished_at IS NOT NULL;

  CREATE TABLE webhooks (
    id text COLLATE "C" PRIMARY KEY,
    org text COLLATE "C" NOT NULL,
    url text NOT NULL,
    types text NOT NULL,
    charger_id text,
    location_id text,
    secret text NOT NULL,
    created_at bigint NOT NULL,
    -- How far the deliveries have come.
    state text NOT NULL,
    after_event text NOT NULL,
    failures int NOT NULL,
    failing_since bigint,
    last_error text,
    delivered_at bigint
  );
  CREATE INDEX webhooks_by_org ON webhooks (org, id);

  CREATE TABLE counters (
    name text COLLATE "C" PRIMARY KEY,
    next bigint NOT NULL
  );

  -- Under which epoch each part of the fleet is owned.
  CREATE TABLE partitions (
    partition smallint PRIMARY KEY,
    epoch bigint NOT NULL
  );
  INSERT INTO partitions SELECT number, 0 FROM generate_series(0, ${partitionCount - 1}) AS number;
`;
