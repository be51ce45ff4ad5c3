// The types of services.mjs.

export interface Server {
  readonly url: string;
  /** Until it is started again. */
  readonly pid: number;
  /** As a crash: nothing is flushed, nobody is told. */
  kill(): Promise<void>;
  /** On the same port, with the same data; ends it first when it runs. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface Services {
  /** `isDurable` makes it wait for the disk, as in production. */
  startPostgres(options?: { readonly isDurable?: boolean }): Promise<Server>;
  /** `maxFileBytes`: more than this it keeps of nothing and for nobody. */
  startNats(options?: { readonly maxFileBytes?: number }): Promise<Server>;
  close(): Promise<void>;
}

export interface TestServers {
  readonly databaseUrl: string | null;
  /** Whether a suite can start servers of its own with `openServices`. */
  readonly canStartPostgres: boolean;
  readonly natsUrl: string | null;
  readonly canStartNats: boolean;
  close(): Promise<void>;
}

export function canStartServers(): boolean;
export function openServices(): Services;
export function missingServers(): readonly string[];
export function openTestServers(): Promise<TestServers>;
