// An update of the firmware: what was ordered, and how far it has come.

/** Every version's words together; a dialect leaves out those that it has not. */
export type FirmwareStatus =
  | 'DownloadScheduled'
  | 'Downloading'
  | 'Downloaded'
  | 'DownloadFailed'
  | 'SignatureVerified'
  | 'InvalidSignature'
  | 'InstallScheduled'
  | 'Installing'
  | 'InstallRebooting'
  | 'Installed'
  | 'InstallVerificationFailed'
  | 'InstallationFailed';

/** What the world does to an update: it is lost on the way, was never the maker's, or does not take. */
export type FirmwareFailure =
  | 'DownloadFailed'
  | 'InvalidSignature'
  | 'InstallVerificationFailed'
  | 'InstallationFailed';

export interface FirmwareOrder {
  readonly requestId: number | null;
  readonly location: string;
  readonly retrieveAtMs: number;
  readonly installAtMs: number | null;
  readonly signing: { readonly certificate: string; readonly signature: string } | null;
  readonly tries: number;
  readonly retryIntervalS: number;
}

export interface FirmwareUpdate extends FirmwareOrder {
  readonly id: string;
  readonly triesLeft: number;
  /** `waiting`: for the last transaction to end. `interrupted`: it is fetched anew when the CSMS is there again. */
  readonly phase:
    | 'scheduled'
    | 'fetching'
    | 'interrupted'
    | 'ready'
    | 'waiting'
    | 'installing'
    | 'restarting'
    | 'restarted'
    | 'over';
  readonly status: FirmwareStatus;
  readonly isTold: boolean;
  /** When the phase ends by itself; null when something else ends it. */
  readonly dueAtMs: number | null;
}

/** Nobody may begin to charge while new firmware is about to be installed. */
export const isUpdating = (firmware: FirmwareUpdate | null | undefined): boolean =>
  firmware != null &&
  (firmware.phase === 'waiting' || firmware.phase === 'installing' || firmware.phase === 'restarting');
