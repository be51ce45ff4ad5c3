// The product as many processes that share a fleet: one that answers and some that run chargers, on private servers.

import { join } from 'node:path';
import { openPostgresStore } from '../../src/adapters/store/postgres.ts';
import type { Store } from '../../src/ports/store.ts';
import { openServices } from '../../tools/services.mjs';
import type { Bench } from '../bench.ts';
import { Gateway, Installation, type Stock } from '../gateway.ts';
import { cpuMsOfTree } from '../readings.ts';
import type { StubCounts } from '../stub-csms.ts';

/** Nobody goes there: every charger names its CSMS. */
const noCsms = 'ws://127.0.0.1:9/ocpp';

/** Longer than it takes to find that one who had a share is gone. */
const settledMs = 8_000;

export class SharedInstallation extends Installation {
  readonly #databaseUrl: string;
  readonly #workers: number;

  /** With a PostgreSQL that waits for its disk, as in production, and a NATS server. */
  static async open(bench: Bench, workers: number): Promise<SharedInstallation> {
    bench.stage('starting PostgreSQL and NATS');
    const services = openServices();
    bench.atEnd(() => services.close());
    const starting = Promise.all([services.startPostgres({ isDurable: true }), services.startNats()]);
    const [postgres, nats] = await bench.orEnd(starting);
    bench.watch('PostgreSQL', () => cpuMsOfTree(postgres.pid));
    bench.watch('NATS', () => cpuMsOfTree(nats.pid));
    return new SharedInstallation(bench, workers, postgres.url, nats.url);
  }

  private constructor(bench: Bench, workers: number, databaseUrl: string, natsUrl: string) {
    super(bench, 'shared', {
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      DEFAULT_CSMS_URL: noCsms,
      // A worker of its own for each process that runs chargers, as docs/scaling.md advises.
      WORKERS: '0',
    });
    this.#databaseUrl = databaseUrl;
    this.#workers = workers;
  }

  override async listening(): Promise<Gateway> {
    const process = (role: string, name: string) =>
      this.launch(`the ${role}`, { ROLE: role, DATA_DIR: join(this.bench.folder, name) });
    const api = await process('api', 'api');
    const workers = await Promise.all(
      Array.from({ length: this.#workers }, async (_, index) => (await process('worker', `worker-${index}`)).child),
    );
    this.bench.watch('api', () => this.bench.cpuMs(api.child));
    this.bench.watch('workers', () => this.bench.cpuMs(workers));
    return new Gateway(this.bench, [api.child, ...workers], api.url, await this.token());
  }

  /** Workers that start together share out among themselves, and chargers may move while they do: until nothing moves. */
  protected override async allUp({ stub, chargers }: Stock, since: StubCounts): Promise<void> {
    await stub.untilHeard(since, chargers, 'BootNotification');
    let seen = { opened: -1, atMs: 0 };
    await this.bench.until(async () => {
      const { open, opened } = await stub.counts();
      if (opened !== seen.opened || open !== chargers) seen = { opened, atMs: performance.now() };
      return performance.now() - seen.atMs > settledMs;
    }, 250);
  }

  protected override openStore(): Promise<Store> {
    return openPostgresStore({ url: this.#databaseUrl });
  }
}
