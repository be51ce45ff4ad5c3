// New firmware: fetched when the CSMS says, checked, installed when nobody charges, and there after a restart.

import { reportChanges } from './changes.ts';
import { andThen, type Charger, type Effect, type Step, step } from './charger.ts';
import type { ResultOf } from './errand.ts';
import type { FirmwareOrder, FirmwareStatus, FirmwareUpdate } from './firmware-update.ts';
import { drawUuid } from './random.ts';
import { trustedRoots } from './security.ts';
import { everydayEvent, securityEvent } from './security-events.ts';
import { withFirmware } from './station.ts';
import { isHeard } from './uploads.ts';

/** How long an installation takes. */
export const installMs = 10_000;
const restartMs = 5_000;

/** Accepts an update; one that is not being installed yet gives way to it. */
export function beginUpdate(charger: Charger, order: FirmwareOrder, atMs: number): Step {
  const [id, chance] = drawUuid(charger.chance);
  const former = charger.firmware;
  const given: readonly Effect[] = former?.phase === 'fetching' ? [{ kind: 'call_off', errandId: former.id }] : [];
  const update: FirmwareUpdate = {
    ...order,
    id,
    triesLeft: order.tries,
    phase: 'scheduled',
    status: 'DownloadScheduled',
    isTold: true,
    dueAtMs: order.retrieveAtMs,
  };
  const begun = step({ ...charger, chance, firmware: update }, [...given, { kind: 'keep' }]);
  return andThen(begun, (next) =>
    order.retrieveAtMs > atMs ? became(next, update, 'DownloadScheduled') : fetchFirmware(next, update),
  );
}

/** Lets the phase end that ends by itself. */
export function firmwareDue(charger: Charger, atMs: number): Step {
  const { firmware } = charger;
  switch (firmware?.phase) {
    case 'scheduled':
      return fetchFirmware(charger, firmware);
    case 'ready':
      return makeRoom(charger, firmware, atMs);
    case 'waiting':
      return install(charger, firmware, atMs);
    case 'installing':
      return installed(charger, firmware, atMs);
    default:
      return step(charger);
  }
}

/** When that is; Infinity when only something else moves it. An installation waits for running transactions, and for the boot. */
export function firmwareDueMs({ firmware, boot, connectors }: Charger): number {
  if (firmware === null || firmware.dueAtMs === null) return Number.POSITIVE_INFINITY;
  const mustWait =
    firmware.phase === 'waiting' && (boot.status !== 'Accepted' || connectors.some(({ session }) => session !== null));
  return mustWait ? Number.POSITIVE_INFINITY : firmware.dueAtMs;
}

function fetchFirmware(charger: Charger, update: FirmwareUpdate): Step {
  const fetching: FirmwareUpdate = { ...update, phase: 'fetching', dueAtMs: null };
  const begun =
    update.status === 'Downloading'
      ? step({ ...charger, firmware: fetching })
      : became(charger, fetching, 'Downloading');
  return andThen(begun, (next) => step(next, [errand(next, fetching)]));
}

export function firmwareReturned(
  charger: Charger,
  id: string,
  { trouble, isSigned }: ResultOf<'fetch-firmware'>['result'],
  atMs: number,
): Step {
  const update = charger.firmware;
  if (update === null || update.id !== id || update.phase !== 'fetching') return step(charger);
  if (trouble !== null && update.triesLeft > 1) {
    const dueAtMs = atMs + update.retryIntervalS * 1000;
    return step({ ...charger, firmware: { ...update, phase: 'scheduled', triesLeft: update.triesLeft - 1, dueAtMs } });
  }
  const failure = charger.conditions?.firmwareFailure;
  if (trouble !== null || failure === 'DownloadFailed') return over(charger, update, 'DownloadFailed', atMs);
  const isForged = isSigned === false || (isSigned === true && failure === 'InvalidSignature');
  const fetched = became(charger, update, 'Downloaded');
  if (isForged) {
    const refused = andThen(fetched, (next) => over(next, update, 'InvalidSignature', atMs));
    return andThen(refused, (next) => securityEvent(next, 'InvalidFirmwareSignature', atMs));
  }
  const checked = isSigned === true ? andThen(fetched, (next) => became(next, update, 'SignatureVerified')) : fetched;
  return andThen(checked, (next) => {
    const { installAtMs } = update;
    if (installAtMs === null || installAtMs <= atMs) return makeRoom(next, update, atMs);
    return became(next, { ...update, phase: 'ready', dueAtMs: installAtMs }, 'InstallScheduled');
  });
}

/** Connectors are taken out of service; the last transaction may still run. */
function makeRoom(charger: Charger, update: FirmwareUpdate, atMs: number): Step {
  const firmware = { ...(charger.firmware ?? update), phase: 'waiting', dueAtMs: atMs } as const;
  return reportChanges({ ...charger, firmware }, atMs);
}

function install(charger: Charger, update: FirmwareUpdate, atMs: number): Step {
  return became(charger, { ...update, phase: 'installing', dueAtMs: atMs + installMs }, 'Installing');
}

function installed(charger: Charger, update: FirmwareUpdate, atMs: number): Step {
  const failure = charger.conditions?.firmwareFailure;
  if (failure === 'InstallationFailed' || failure === 'InstallVerificationFailed')
    return over(charger, update, failure, atMs);
  const station = withFirmware(charger.station, versionAfter(charger.station.firmwareVersion, update.location));
  const restarting = became(
    { ...charger, station },
    { ...update, phase: 'restarting', dueAtMs: null },
    'InstallRebooting',
  );
  return andThen(restarting, (next) =>
    step(next, [{ kind: 'restart', reason: 'FirmwareUpdate', offMs: restartMs }, { kind: 'keep' }]),
  );
}

/** The CSMS is there again: it hears what it has missed, and what was interrupted goes on. */
export function goOnUpdating(charger: Charger, atMs: number): Step {
  const update = charger.firmware;
  if (update === null) return step(charger);
  if (update.phase === 'restarted') {
    const done = over(charger, update, 'Installed', atMs);
    const note = update.requestId === null ? everydayEvent : securityEvent;
    return andThen(done, (next) => note(next, 'FirmwareUpdated', atMs, next.station.firmwareVersion));
  }
  const telling = update.isTold ? step(charger) : became(charger, update, update.status);
  return andThen(telling, (next) => {
    if (update.phase === 'over') return step({ ...next, firmware: null });
    if (update.phase !== 'interrupted') return step(next);
    return andThen(step(next, [{ kind: 'call_off', errandId: update.id }]), (again) => fetchFirmware(again, update));
  });
}

/** The charger has gone down under it: what was not done yet is begun anew. */
export function interruptedUpdate(update: FirmwareUpdate): FirmwareUpdate {
  if (update.phase === 'fetching') return { ...update, phase: 'interrupted' };
  if (update.phase === 'installing') return { ...update, phase: 'waiting' };
  return update.phase === 'restarting' ? { ...update, phase: 'restarted' } : update;
}

function over(charger: Charger, update: FirmwareUpdate, status: FirmwareStatus, atMs: number): Step {
  const told = became(charger, { ...(charger.firmware ?? update), phase: 'over', dueAtMs: null }, status);
  return andThen(told, (next) => {
    const ended = isHeard(next) ? { ...next, firmware: null } : next;
    return andThen(reportChanges(ended, atMs), (last) => step(last, [{ kind: 'keep' }]));
  });
}

function became(charger: Charger, update: FirmwareUpdate, status: FirmwareStatus): Step {
  const firmware = { ...update, status, isTold: isHeard(charger) };
  return step({ ...charger, firmware }, [
    { kind: 'report', report: { kind: 'firmware-status', status, requestId: update.requestId } },
  ]);
}

function errand(charger: Charger, { id, location, signing }: FirmwareUpdate): Effect {
  return { kind: 'errand', errand: { kind: 'fetch-firmware', id, location, signing, roots: trustedRoots(charger) } };
}

/** The version is read off the name of the file; one without gives the next after the present. */
export function versionAfter(present: string, location: string): string {
  const name =
    location
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? '';
  const named = /\d+(?:\.\d+)+/.exec(name)?.[0];
  return named ?? present.replace(/\d+(?=\D*$)/, (last) => String(Number(last) + 1));
}
