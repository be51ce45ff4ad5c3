// The types of services.mjs.

export interface Server {
  readonly url: string;
  /** As a crash: nothing is flushed, nobody is told. */
  kill(): Promise<void>;
  /** On the same port, with the same data; ends it first when it runs. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface Services {
  /** `isDurable` makes it wait for the disk, as in production. */
  startPostgres(options?: { readonly isDurable?: boolean }): Promise<Server>;
  startNats(): Promise<Server>;
  close(): Promise<void>;
}

export interface TestServers {
  readonly databaseUrl: string | null;
  readonly natsUrl: string | null;
  close(): Promise<void>;
}

export function openServices(): Services;
export function openTestServers(): Promise<TestServers>;
export function isObtainable(program: 'postgres' | 'nats-server'): boolean;
