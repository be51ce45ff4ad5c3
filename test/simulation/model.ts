// The simplest idea of a charger: what each command makes of an outlet, and when it is refused.

export interface Outlet {
  readonly plugged: boolean;
  readonly session: boolean;
  readonly faulted: boolean;
}

export const idle: Outlet = { plugged: false, session: false, faulted: false };

interface Rule {
  readonly event?: Readonly<Record<string, unknown>>;
  /** What becomes of the outlet; null: the command is refused. */
  after(outlet: Outlet): Outlet | null;
}

const gone = (outlet: Outlet): Outlet => ({ ...outlet, plugged: false, session: false });

/** With a CSMS that is there and accepts everything. */
export const rules: Readonly<Record<string, Rule>> = {
  'plug-connector': { after: (outlet) => (outlet.plugged ? null : { ...outlet, plugged: true }) },
  'unplug-connector': { after: (outlet) => (outlet.plugged ? gone(outlet) : null) },
  'start-session': {
    event: { id_tag: 'TAG' },
    after: (outlet) => (outlet.session || outlet.faulted ? null : { ...outlet, plugged: true, session: true }),
  },
  'stop-session': { after: (outlet) => (outlet.session || outlet.plugged ? gone(outlet) : null) },
  'start-transaction': {
    event: { id_tag: 'TAG' },
    after: (outlet) => (outlet.session || outlet.faulted || !outlet.plugged ? null : { ...outlet, session: true }),
  },
  'stop-transaction': { after: (outlet) => (outlet.session ? { ...outlet, session: false } : null) },
  'inject-fault': {
    event: { error_code: 'GroundFailure' },
    after: (outlet) => ({ ...outlet, session: false, faulted: true }),
  },
  'clear-fault': { after: (outlet) => (outlet.faulted ? { ...outlet, faulted: false } : null) },
  'power-update': { event: { power_w: 7_400 }, after: (outlet) => outlet },
  'ev-stops-energy': { after: (outlet) => ({ ...outlet, plugged: true }) },
  'ev-requests-energy': { after: (outlet) => (outlet.plugged ? outlet : null) },
};

/** Started anew: cables are still in, all else is over. */
export const rebooted = (outlet: Outlet): Outlet => ({ ...idle, plugged: outlet.plugged });
